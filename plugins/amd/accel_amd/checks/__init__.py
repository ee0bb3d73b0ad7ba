"""The checks of AMD machines, one fault per file. A Check in a module of this folder is registered by existing."""
