"""The checks for Neuron machines, one fault per file. Each Check in this folder is registered."""
