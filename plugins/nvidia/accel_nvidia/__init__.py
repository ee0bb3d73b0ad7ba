"""NVIDIA's GPUs: NVML on a live machine, and what nvidia-smi and its companions print."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    from accel_nvidia.backend import NvidiaBackend

    return NvidiaBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    from accel_nvidia.readers import nvidia_readers

    return nvidia_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    from accel_nvidia.checks import nvidia_checks

    return nvidia_checks()
