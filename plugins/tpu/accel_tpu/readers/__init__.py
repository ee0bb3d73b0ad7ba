"""The readers of the texts that tell of TPUs."""
