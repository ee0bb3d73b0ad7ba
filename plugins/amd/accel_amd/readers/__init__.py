"""The readers of texts that show AMD's GPUs: one format per file. A file with a READER is a reader."""
