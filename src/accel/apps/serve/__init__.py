"""Serves what is watched to other programs: metrics, JSON and a live page over HTTP. All of it is read-only."""
