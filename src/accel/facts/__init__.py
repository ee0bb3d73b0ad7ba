"""The questions that checks ask of a snapshot."""
