"""The readers of texts about Hygon's DCUs: one format per file. Files with a READER are registered."""
