"""The readers of texts about AMD's GPUs: one format per file. Files with a READER are registered."""
