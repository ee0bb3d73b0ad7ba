"""Processes that compute on AMD's GPUs, from KFD.

/sys/class/kfd/kfd/proc/<pid>/vram_<gpu_id>      bytes of device memory; pids are those of the host
Graphics-only processes are not listed. Source  Linux drivers/gpu/drm/amd/amdkfd/kfd_process.c
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.device import Process
from accel_amd.model import AmdDevice
from accel_amd.quantities import count
from accel_amd.sysfs import PROCESSES

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_CONTAINER_SIGNS: Final = ("/.dockerenv", "/run/.containerenv")


def processes(machine: "Machine", devices: Sequence[AmdDevice]) -> dict[str, tuple[Process, ...] | None]:
    """Return the processes by device id; None if the list or the GPU's number in KFD is unknown."""
    found: dict[str, tuple[Process, ...] | None] = {device.id: None for device in devices}
    if not machine.exists(PROCESSES):
        return found
    own_pids = not any(machine.exists(path) for path in _CONTAINER_SIGNS) and (
        "KUBERNETES_SERVICE_HOST" not in machine.environment
    )
    pids = sorted((name for name in machine.list(PROCESSES) if name.isdecimal()), key=int)
    for device in devices:
        if device.kfd_id is None:
            continue
        on_it: list[Process] = []
        for pid in pids:
            used = count(file_text(machine, f"{PROCESSES}/{pid}/vram_{device.kfd_id}"))
            if used:
                # In a container, these PIDs are other processes in /proc.
                name = file_text(machine, f"/proc/{pid}/comm") if own_pids else None
                on_it.append(Process(pid=int(pid), name=name, memory_bytes=used))
        found[device.id] = tuple(on_it)
    return found
