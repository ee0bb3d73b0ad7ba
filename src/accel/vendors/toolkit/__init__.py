"""What plugins are built with: a backend out of a tool's output, visibility masks, presence signs."""
