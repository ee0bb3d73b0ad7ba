"""AMD's GPUs as texts show them, and the faults of ROCm and CUDA builds beside them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.backend import Reader
    from accel.check import Check


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    from accel_amd.readers import amd_readers

    return amd_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    from accel_amd.checks import amd_checks

    return amd_checks()
