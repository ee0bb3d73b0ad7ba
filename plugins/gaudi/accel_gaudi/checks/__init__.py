"""The checks of Gaudi machines, one fault per file. Each Check in this folder is registered."""
