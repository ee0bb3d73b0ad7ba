"""Devices over time: samples, who holds them, which are free, how they are wired, why they are slow."""
