"""The CPU as a backend: cpu:0, last in every list. It imports nothing until it is probed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from accel.vendors.toolkit.vendor_backend import VendorBackend
from accel_cpu.vendor import VENDOR

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.report import Report
    from accel.vendors.contract.backend import Request


class CpuBackend(VendorBackend):
    """The CPU backend. It keeps the counters of its last sample, since utilisation is a difference of two samples."""

    def __init__(self) -> None:
        super().__init__(VENDOR)
        self._ticks: tuple[int, int] | None = None

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel_cpu import live

        return live.probe(machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        from accel_cpu import live

        return live.memory(machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        from accel_cpu import live

        fresh, self._ticks = live.sample(machine, devices, self._ticks)
        return fresh

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        return {"cpu:0": None}

    def visible(self, devices: "Sequence[Device]", variables: Mapping[str, str]) -> "Sequence[Device]":
        """Return the devices unchanged: no variable hides the CPU from a runtime."""
        from accel.model.dataclass import replace

        return tuple(replace(device, visible=True, runtime_names=("cpu:0", "cpu")) for device in devices)


def backend() -> CpuBackend:
    return CpuBackend()
