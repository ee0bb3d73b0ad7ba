"""Inference rules for AMD GPUs that need code. Each Rule in this folder is registered."""
