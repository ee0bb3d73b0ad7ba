"""Iluvatar CoreX's GPUs: ixsmi's table, list and query, and the faults that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_iluvatar.backend import IluvatarBackend

    return IluvatarBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of ixsmi's texts."""
    from accel_iluvatar.readers import iluvatar_readers

    return iluvatar_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks IX001 and on."""
    from accel_iluvatar.checks import iluvatar_checks

    return iluvatar_checks()
