"""Google TPUs: PCI ids and device nodes, libtpu's metric service, JAX's and tpu-info's texts, and their faults."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_tpu.backend import TpuBackend

    return TpuBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of tpu-info's tables and of JAX's device lists."""
    from accel_tpu.readers import tpu_readers

    return tpu_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks TP001 and on."""
    from accel_tpu.checks import tpu_checks

    return tpu_checks()
