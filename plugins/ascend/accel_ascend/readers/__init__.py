"""The formats that Ascend tools print and write, one per file."""
