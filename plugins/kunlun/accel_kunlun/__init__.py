"""Kunlunxin's XPUs: xpu-smi's tables, lists and query, and the faults that it states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_kunlun.backend import KunlunBackend

    return KunlunBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of xpu-smi's texts."""
    from accel_kunlun.readers import kunlun_readers

    return kunlun_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks KL001 and on."""
    from accel_kunlun.checks import kunlun_checks

    return kunlun_checks()
