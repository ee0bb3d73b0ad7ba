"""Collects facts into a Snapshot: from this machine, in child processes with deadlines, or from texts."""
