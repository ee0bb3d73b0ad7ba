"""Which processes use which device, with their users, containers and jobs; and memory held by no visible process."""
