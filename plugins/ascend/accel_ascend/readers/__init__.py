"""The output and file formats of Ascend tools, one per file."""
