"""The readers of the texts that tell of Neuron devices."""

from accel.contract.backend import Reader
from accel_neuron.readers import lspci, neuron_ls_json, neuron_ls_table, neuron_monitor


def neuron_readers() -> tuple[Reader, ...]:
    """Return them, the most trusted first."""
    return (neuron_ls_json.READER, neuron_ls_table.READER, neuron_monitor.READER, lspci.READER)
