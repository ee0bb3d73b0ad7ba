"""Measures devices instead of reading facts, with programs in the user's Python that are supervised from here."""
