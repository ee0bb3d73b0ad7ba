"""The readers of output from NVIDIA's tools and from programs that use NVIDIA's devices: one format per file.

A file in this folder that defines `READER` is a reader; nothing else needs to change.
"""
