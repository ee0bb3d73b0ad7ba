"""The readers of texts about Gaudi cards."""
