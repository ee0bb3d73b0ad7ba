"""The readers of texts that describe the CPU."""
