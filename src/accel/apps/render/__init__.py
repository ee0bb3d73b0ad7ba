"""Renders results as text, JSON and other formats. Nothing here makes decisions."""
