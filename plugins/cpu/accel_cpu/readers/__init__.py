"""The readers of texts that describe the processor."""
