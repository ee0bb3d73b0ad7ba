"""The checks for Neuron machines that compute something, one per file. The others are rows: specs/aws/checks."""
