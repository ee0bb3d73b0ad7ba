"""The virtual GPUs running on a vGPU host's board: read only at depth "health", for boards in that mode.

Source  nvml.h: nvmlDeviceGetActiveVgpus, nvmlVgpuInstanceGet*, nvmlVgpuTypeGetName, nvmlVgpuTypeGetFramebufferSize
"""

from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.model import VgpuInstance
from accel_nvidia.nvml_forms import vgpu_memory_used
from accel_nvidia.nvml_questions import text

if TYPE_CHECKING:
    from accel_nvidia.nvml_session import Session

_MOST: Final = 128  # per board; NVIDIA's smallest profiles allow 32
_NO_ANSWER: Final = (3, 13)  # a board or a driver without virtual GPUs
_FACT: Final = "vgpus"


def vgpus(session: "Session", handle: Any, device: str) -> tuple[VgpuInstance, ...] | None:
    """Return the instances running on a board, () if none; None if they could not be listed."""
    listed = session.ask("nvmlDeviceGetActiveVgpus", handle, device=device, fact=_FACT, quiet=_NO_ANSWER)
    if listed is None:
        return None
    if len(listed) > _MOST:
        session.lack(_FACT, f"{len(listed)} run on it; the first {_MOST} are shown", device)
    return tuple(_instance(session, int(instance), device) for instance in listed[:_MOST])


def _instance(session: "Session", instance: int, device: str) -> VgpuInstance:
    def ask(call: str, number: int = instance) -> Any:
        return session.ask(call, number, device=device, fact=_FACT, quiet=_NO_ANSWER)

    kind = ask("nvmlVgpuInstanceGetType")
    machine = ask("nvmlVgpuInstanceGetVmID")
    return VgpuInstance(
        id=instance,
        uuid=text(ask("nvmlVgpuInstanceGetUUID")),
        type_name=None if kind is None else text(ask("nvmlVgpuTypeGetName", kind)),
        memory_total_bytes=None if kind is None else ask("nvmlVgpuTypeGetFramebufferSize", kind),
        memory_used_bytes=session.ask(
            "nvmlVgpuInstanceGetFbUsage",
            session.nvml,
            instance,
            device=device,
            fact=_FACT,
            function=vgpu_memory_used,
            quiet=_NO_ANSWER,
        ),
        vm_id=text(machine[0]) if isinstance(machine, tuple) and machine else text(machine),
        vm_driver_version=text(ask("nvmlVgpuInstanceGetVmDriverVersion")),
    )
