"""Facts gathered into a Snapshot: from this machine, in children with deadlines, or from texts."""
