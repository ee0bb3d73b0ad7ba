"""The checks of Moore Threads machines, one fault per file. A Check in a module here is registered by existing."""
