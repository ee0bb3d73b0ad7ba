"""Answers as text, JSON and other forms. Nothing here decides anything."""
