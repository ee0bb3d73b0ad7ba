"""The benchmark of devices: which steps, how they are run and watched, what limited them, and how two compare."""
