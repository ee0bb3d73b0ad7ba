"""Which plugins are installed, what they register, and what is rejected."""
