"""The readers of the texts that tell of a Mac's GPUs."""
