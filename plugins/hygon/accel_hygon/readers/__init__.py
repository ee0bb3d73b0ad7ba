"""The readers of texts about Hygon's DCUs: one format per file. A file with a READER is a reader."""
