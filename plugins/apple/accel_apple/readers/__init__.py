"""The readers of texts about a Mac's GPUs."""
