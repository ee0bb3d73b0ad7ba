"""The readers of texts about TPUs."""
