"""Measures devices instead of reading facts: programs that run in the user's Python, started and supervised from
here.
"""
