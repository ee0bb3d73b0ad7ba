"""Rules that describe a vendor's tool in YAML instead of code: how to call it and how to read its output."""
