"""What a framework says of its memory, in a file that it wrote: read without running anything of it, and judged."""
