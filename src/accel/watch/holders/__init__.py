"""Who holds which device: processes with their users, containers and jobs, and memory that nobody visible holds."""
