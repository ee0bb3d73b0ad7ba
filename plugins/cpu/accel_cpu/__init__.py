"""The processor as a device: /proc and /sys, cgroup limits, and what lscpu and collect_env print of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_cpu.backend import CpuBackend

    return CpuBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of lscpu's and collect_env's descriptions."""
    from accel_cpu.readers import cpu_readers

    return cpu_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the check CP001."""
    from accel_cpu.checks import cpu_checks

    return cpu_checks()
