"""accel plugin."""
