"""Building blocks for plugins: a backend based on a tool's output, visibility variables, signs of presence."""
