"""What a vendor states about its tool in YAML instead of code: how its output is read, and how it is called."""
