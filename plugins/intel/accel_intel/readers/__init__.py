"""The readers of texts about Intel GPUs."""
