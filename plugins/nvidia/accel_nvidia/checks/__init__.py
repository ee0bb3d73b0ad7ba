"""The checks for NVIDIA machines, one fault per file. Each Check in this folder is registered."""
