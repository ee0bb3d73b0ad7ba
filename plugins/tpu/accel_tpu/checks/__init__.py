"""The checks of TPU machines, one fault per file. Each Check in this folder is registered."""
