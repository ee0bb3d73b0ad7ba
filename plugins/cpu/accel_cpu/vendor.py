"""The vendor definition of the processor."""

from accel.vendors.contract.vendor import Vendor
from accel_cpu.model import CpuDevice

VENDOR = Vendor(
    name="cpu",
    maker="CPU",
    kind="cpu",
    package=__package__,
    record=CpuDevice,
    traces=("always",),
    own=("backend",),
)
