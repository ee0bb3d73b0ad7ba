"""Intel's GPUs: the i915 and xe drivers' files, xpu-smi's and sycl-ls's texts, their faults."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_intel.backend import IntelBackend

    return IntelBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of xpu-smi's and sycl-ls's texts."""
    from accel_intel.readers import intel_readers

    return intel_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks IN001 and on."""
    from accel_intel.checks import intel_checks

    return intel_checks()
