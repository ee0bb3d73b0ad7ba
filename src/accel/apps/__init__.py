"""The user interfaces: Python API, command line, its output, full-screen monitor, server, bridges."""
