"""The readers of texts about Cambricon's cards: one format per file. Files with a READER are registered."""
