"""One cause per file: how it shows over time, how certain that is, and what to change. Pure."""
