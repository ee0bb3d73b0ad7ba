"""The checks for Gaudi machines that compute something, one per file. The others are rows: specs/gaudi/checks."""
