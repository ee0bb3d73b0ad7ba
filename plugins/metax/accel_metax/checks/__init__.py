"""The checks of MetaX machines, one fault a file. A Check in a module of this folder is registered by existing."""
