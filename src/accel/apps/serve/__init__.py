"""What is watched, for other programs: metrics, JSON and a live page over HTTP. Nothing here can change anything."""
