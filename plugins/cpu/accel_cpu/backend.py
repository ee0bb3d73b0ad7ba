"""The live backend: the machine's processors as one device, cpu:0, last in every list."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.backend import Request
from accel.model.device import Device, Memory, Process
from accel.model.report import Report

if TYPE_CHECKING:
    from accel.machine import Machine

_LINUX: Final = "procfs"


class CpuBackend:
    """The processor. It keeps the counters of its last sample, since use is the difference of two."""

    name = "cpu"
    vendor = "CPU"

    @property
    def device_type(self) -> type[Device]:
        from accel_cpu.model import CpuDevice

        return CpuDevice

    def __init__(self) -> None:
        self._ticks: tuple[int, int] | None = None

    def detect(self, machine: "Machine") -> bool:
        return True

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]:
        if machine.system == "linux":
            from accel_cpu.linux import linux_cpu

            device, gaps = linux_cpu(machine)
            source = _LINUX
        else:
            from accel_cpu.elsewhere import other_cpu

            device, gaps = other_cpu(machine)
            source = machine.system
        request.progress.found(device)
        status: Final = "partial" if gaps else "ok"
        return (Report(backend="cpu", source=source, status=status, trust=50, devices=(device,), gaps=gaps),)

    def memory(self, machine: "Machine", device_id: str) -> Memory | None:
        device = self.probe(machine, Request())[0].devices[0]
        if device.id != device_id or device.memory_total_bytes is None:
            return None
        return Memory(
            total_bytes=device.memory_total_bytes,
            used_bytes=device.memory_used_bytes,
            free_bytes=device.memory_free_bytes,
        )

    def sample(self, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
        if machine.system != "linux":
            return tuple(devices)
        from accel_cpu.cgroup import limits
        from accel_cpu.linux import busy_and_all, memory

        total, used, free = memory(machine, limits(machine))
        before, self._ticks = self._ticks, busy_and_all(machine)
        use = _percent(before, self._ticks)
        return tuple(
            replace(
                device,
                memory_total_bytes=total,
                memory_used_bytes=used,
                memory_free_bytes=free,
                utilization_percent=use,
            )
            for device in devices
        )

    def processes(self, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
        return {"cpu:0": None}

    def visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        """No variable hides the processor from a runtime."""
        return tuple(replace(device, visible=True, runtime_names=("cpu:0", "cpu")) for device in devices)


def _percent(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    """Return the share of the time between two readings that was worked; None without two, or without time."""
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round(100 * min(max(after[0] - before[0], 0) / (after[1] - before[1]), 1.0), 1)
