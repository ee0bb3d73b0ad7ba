"""The readers of texts about Cambricon's cards: one format per file. A file with a READER is a reader."""
