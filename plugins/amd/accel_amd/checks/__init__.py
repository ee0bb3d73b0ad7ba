"""The checks for AMD machines, one fault per file. Each Check in this folder is registered."""
