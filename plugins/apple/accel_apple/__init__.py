"""The GPUs of Macs, Apple's own and others': system_profiler, sysctl, and the faults of PyTorch's MPS."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_apple.backend import AppleBackend

    return AppleBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of system_profiler's texts."""
    from accel_apple.readers import apple_readers

    return apple_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks AP001 and on."""
    from accel_apple.checks import apple_checks

    return apple_checks()
