"""What plugins stand on: a backend out of a tool's output, visibility masks, presence signs."""
