"""`accel doctor --deep`: what the frameworks of an environment show that they can do, as facts of a snapshot."""
