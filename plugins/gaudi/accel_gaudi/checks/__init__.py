"""The checks for Gaudi machines, one fault per file. Each Check in this folder is registered."""
