"""Rules of inference of Ascend machines that need code. Each Rule in this folder is registered."""
