"""Watching devices: one tick of readings after another, at a steady pace, whatever a driver does meanwhile."""
