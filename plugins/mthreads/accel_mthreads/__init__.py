"""Moore Threads GPUs: device nodes, mthreads-gmi and its texts, the faults that show in them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_mthreads.backend import MThreadsBackend

    return MThreadsBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of mthreads-gmi's texts and of lspci."""
    from accel_mthreads.readers import mthreads_readers

    return mthreads_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks MT001 and on."""
    from accel_mthreads.checks import mthreads_checks

    return mthreads_checks()
