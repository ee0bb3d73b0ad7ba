"""MetaX's GPUs: mx-smi's table, list and queries, and the faults that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_metax.backend import MetaxBackend

    return MetaxBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of mx-smi's texts."""
    from accel_metax.readers import metax_readers

    return metax_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks MX001 and on."""
    from accel_metax.checks import metax_checks

    return metax_checks()
