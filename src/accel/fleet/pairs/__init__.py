"""All-reduce between pairs and groups of nodes, to find the one that hangs, fails or is slow."""
