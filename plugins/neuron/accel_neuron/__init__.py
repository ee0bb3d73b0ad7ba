"""AWS Trainium and Inferentia: neuron-ls, neuron-monitor, the neuron driver's files, their faults."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_neuron.backend import NeuronBackend

    return NeuronBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of neuron-ls, neuron-monitor and lspci."""
    from accel_neuron.readers import neuron_readers

    return neuron_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks NE001 and on."""
    from accel_neuron.checks import neuron_checks

    return neuron_checks()
