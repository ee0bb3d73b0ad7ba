"""The readers of what NVIDIA's tools, and programs about NVIDIA's devices, print: one format per file.

A file in this folder with a `READER` is a reader; nothing else needs to be changed.
"""
