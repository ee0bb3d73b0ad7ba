"""All access to the machine: files, commands, libraries, environment, clock; live or recorded."""
