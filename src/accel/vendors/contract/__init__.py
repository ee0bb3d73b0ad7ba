"""What a vendor states and implements: a backend, readers, checks, and the hooks that register them."""
