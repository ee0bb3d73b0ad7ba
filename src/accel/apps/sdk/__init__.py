"""What libraries ask about a device and the machine, beyond the list of devices. Each name is public in `accel`."""
