"""Interprets product names in texts: one tokenizer, one index, and parsers for the ways that people write names."""
