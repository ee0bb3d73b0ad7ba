"""The checks for TPU machines, one fault per file. Each Check in this folder is registered."""
