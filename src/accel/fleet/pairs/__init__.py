"""All-reduce between pairs and groups of nodes, to find a node that hangs, fails or is slow."""
