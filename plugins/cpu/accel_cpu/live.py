"""The machine's CPUs, probed as one device."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Memory, memory_of
from accel.model.report import Report
from accel.vendors.contract.backend import Request

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted

_Ticks = tuple[int, int]  # those worked, and all


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Return one report of one device."""
    noted: tuple[Noted, ...] = ()
    if machine.system == "linux":
        from accel_cpu.linux import SOURCE, linux_cpu
        from accel_cpu.memory_errors import memory_errors

        device, gaps = linux_cpu(machine)
        source = SOURCE
        noted = tuple(memory_errors(machine))
        device = replace(device, health="critical" if noted else "unknown")
    else:
        from accel_cpu.elsewhere import other_cpu

        device, gaps = other_cpu(machine)
        source = machine.system
    request.progress.found(device)
    status: Final = "partial" if gaps else "ok"
    return (
        Report(backend="cpu", source=source, status=status, trust=50, devices=(device,), observations=noted, gaps=gaps),
    )


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Return the machine's memory, limited by the control group if that is tighter; None if it cannot be read."""
    device = probe(machine, Request())[0].devices[0]
    if device.id != device_id or device.memory_total_bytes is None:
        return None
    return memory_of(device)


def sample(
    machine: "Machine", devices: Sequence[Device], before: _Ticks | None
) -> tuple[Sequence[Device], _Ticks | None]:
    """Return the devices with current memory and utilisation, and the ticks to pass in next time."""
    if machine.system != "linux":
        from accel_cpu.elsewhere import memory_now

        return tuple(memory_now(machine, device) for device in devices), None
    from accel_cpu.cgroup import limits
    from accel_cpu.linux import busy_and_all
    from accel_cpu.linux import memory as linux_memory

    total, used, free = linux_memory(machine, limits(machine))
    after = busy_and_all(machine)
    fresh = tuple(
        replace(
            device,
            memory_total_bytes=total,
            memory_used_bytes=used,
            memory_free_bytes=free,
            utilization_percent=percent(before, after),
        )
        for device in devices
    )
    return fresh, after


def percent(before: _Ticks | None, after: _Ticks | None) -> float | None:
    """Return the busy share of the time between two readings.

    None without two readings, or without time between them.
    """
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round(100 * min(max(after[0] - before[0], 0) / (after[1] - before[1]), 1.0), 1)
