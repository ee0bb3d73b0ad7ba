"""The readers of texts about AMD GPUs: one format per file. Files with a READER are registered."""
