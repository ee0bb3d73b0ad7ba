"""The checks for Ascend machines, one fault per file. Each Check in this folder is registered."""
