"""Huawei Ascend NPUs: device nodes, version files, npu-smi; its many texts; the faults of its software stack."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl

if TYPE_CHECKING:
    from accel.contract.backend import Backend, Reader
    from accel.contract.check import Check


@hookimpl
def accel_backend() -> "Backend":
    """Return the backend for live machines."""
    from accel_ascend.backend import AscendBackend

    return AscendBackend()


@hookimpl
def accel_readers() -> "Sequence[Reader]":
    """Return the readers of npu-smi's texts and of the version files."""
    from accel_ascend.readers import ascend_readers

    return ascend_readers()


@hookimpl
def accel_checks() -> "Sequence[Check]":
    """Return the checks AS001 and on."""
    from accel_ascend.checks import ascend_checks

    return ascend_checks()
