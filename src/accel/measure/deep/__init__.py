"""`accel doctor --deep`: runs the frameworks of an environment, and adds the results to a snapshot as facts."""
