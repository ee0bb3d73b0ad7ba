"""The checks for Macs, one fault per file. Each Check in this folder is registered."""
