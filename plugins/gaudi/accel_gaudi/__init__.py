"""Intel's Gaudi accelerators (Habana): hl-smi in its many forms, the habanalabs driver's files, their faults."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_gaudi.backend import GaudiBackend

    return GaudiBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of hl-smi's texts and of lspci."""
    from accel_gaudi.readers import gaudi_readers

    return gaudi_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks GA001 and on."""
    from accel_gaudi.checks import gaudi_checks

    return gaudi_checks()
