"""AMD's GPUs, live and as texts show them, and the faults of their driver and of the builds beside them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    from accel_amd.backend import AmdBackend

    return AmdBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    from accel_amd.readers import amd_readers

    return amd_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    from accel_amd.checks import amd_checks

    return amd_checks()
