"""Inference rules for TPUs that need code. Each Rule in this folder is registered."""
