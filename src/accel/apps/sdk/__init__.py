"""The questions that libraries ask, one module each."""
