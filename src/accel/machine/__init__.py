"""The one door to the world: files, commands, libraries, environment, clock; live or recorded."""
