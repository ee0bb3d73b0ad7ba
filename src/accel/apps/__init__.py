"""The user interfaces: the Python API, the command line, its output, the full-screen monitor, the server, the
bridges.
"""
