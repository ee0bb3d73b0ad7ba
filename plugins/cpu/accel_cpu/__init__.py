"""The processor as a device: /proc and /sys, cgroup limits, and what lscpu and collect_env print of it."""

from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl
from accel.contract.vendor import Vendor
from accel_cpu.model import CpuDevice

if TYPE_CHECKING:
    from accel.contract.backend import Backend

VENDOR = Vendor(
    name="cpu",
    maker="CPU",
    kind="cpu",
    package=__name__,
    record=CpuDevice,
    traces=("always",),
)


@hookimpl
def accel_backend() -> "Backend":
    from accel_cpu.backend import CpuBackend

    return CpuBackend()
