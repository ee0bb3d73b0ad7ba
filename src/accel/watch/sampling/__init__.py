"""Watches devices: one tick of readings after another at a steady pace, even if a driver hangs or crashes."""
