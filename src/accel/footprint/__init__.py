"""Estimates the device memory that a model needs, from its shapes: parameters, caches, training states. Pure."""
