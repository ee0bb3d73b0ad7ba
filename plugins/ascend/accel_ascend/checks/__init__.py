"""The checks of Ascend machines, one fault per file. Each Check in this folder is registered."""
