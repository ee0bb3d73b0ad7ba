"""Hygon DCUs: the PCI bus, the driver's nodes, hy-smi; its texts; the fault that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_hygon.backend import HygonBackend

    return HygonBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of hy-smi's texts, rocminfo and lspci."""
    from accel_hygon.readers import hygon_readers

    return hygon_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the check HY001."""
    from accel_hygon.checks import hygon_checks

    return hygon_checks()
