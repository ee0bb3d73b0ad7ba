"""The benchmark of devices: its steps, how they run and are supervised, what limited them, and comparisons."""
