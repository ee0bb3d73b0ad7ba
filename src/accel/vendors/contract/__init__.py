"""What a vendor implements: a backend, readers, checks, and the hooks that register them."""
