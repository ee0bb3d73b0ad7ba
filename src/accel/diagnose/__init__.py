"""Combines the outcomes of checks into one diagnosis: causes before symptoms, what remains open, what to ask for."""
