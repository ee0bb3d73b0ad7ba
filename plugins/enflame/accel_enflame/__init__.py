"""Enflame's GCUs: efsmi's table, query and monitor, and the faults that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_enflame.backend import EnflameBackend

    return EnflameBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of efsmi's texts."""
    from accel_enflame.readers import enflame_readers

    return enflame_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks EF001 and on."""
    from accel_enflame.checks import enflame_checks

    return enflame_checks()
