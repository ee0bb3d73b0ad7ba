"""The checks of AMD machines, one fault per file. Each Check in this folder is registered."""
