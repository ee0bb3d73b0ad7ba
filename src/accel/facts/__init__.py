"""The questions that checks ask about a snapshot."""
