"""The readers of texts about Neuron devices."""
