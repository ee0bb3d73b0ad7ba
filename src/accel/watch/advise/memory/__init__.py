"""A framework's memory according to a file that it wrote: parsed without running anything in it, and analysed."""
