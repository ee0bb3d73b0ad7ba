"""Devices over time: samples, the processes that use them, which are free, how they are joined, why they are slow."""
