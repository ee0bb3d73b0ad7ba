"""Cambricon MLUs: device nodes, the driver's files, cnmon; its texts; the faults that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_cambricon.backend import CambriconBackend

    return CambriconBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of cnmon's texts and of the driver's files."""
    from accel_cambricon.readers import cambricon_readers

    return cambricon_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks CB001 and on."""
    from accel_cambricon.checks import cambricon_checks

    return cambricon_checks()
