"""What libraries ask of a device and of the machine, beyond the list of devices. Each name is public in `accel`."""
