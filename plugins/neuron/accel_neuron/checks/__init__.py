"""The checks of Neuron machines, one fault per file. Each Check in this folder is registered."""
