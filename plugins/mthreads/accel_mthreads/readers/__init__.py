"""The readers of texts about Moore Threads' GPUs: one format per file. Files with a READER are registered."""
