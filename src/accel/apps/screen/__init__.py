"""`accel top`: devices and their processes, full screen. Pure code computes what is shown, without Textual."""
