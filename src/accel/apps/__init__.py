"""What people and programs use: the Python API, the command, its output, the screen, the server, adapters."""
