"""The checks of NVIDIA machines, one fault per file. Each Check in this folder is registered."""
