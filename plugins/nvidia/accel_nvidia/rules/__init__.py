"""Inference rules for NVIDIA's machines that need code. Each Rule in this folder is registered automatically."""
