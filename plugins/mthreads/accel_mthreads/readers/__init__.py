"""The readers of texts about Moore Threads' GPUs: one format per file. A file with a READER is a reader."""
