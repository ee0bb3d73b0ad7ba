"""The rules of inference for AMD's GPUs that need code. Each Rule in this folder is registered."""
