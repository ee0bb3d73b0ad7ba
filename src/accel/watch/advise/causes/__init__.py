"""One cause a file: what it looks like over time, how sure that is, and what to change. Pure."""
