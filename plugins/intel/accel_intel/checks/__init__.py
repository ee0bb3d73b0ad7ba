"""The checks for Intel GPUs, one fault per file. Each Check in this folder is registered."""
