"""What a model needs of a device, from its shapes: parameters, bytes by part, caches, training states. Pure."""
