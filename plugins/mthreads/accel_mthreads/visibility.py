"""Which GPUs a new process would be shown.

MUSA_VISIBLE_DEVICES       read by the MUSA runtime: a comma list of GPU numbers, taken in the list's order, up to the
                           first entry that is no GPU. Set and empty: no GPU.
MTHREADS_VISIBLE_DEVICES   read by the container toolkit when a container is made: inside, the nodes are already as it
                           says, so it hides nothing more from a process.

Source  docs.mthreads.com, and github.com/MooreThreads/torch_musa, which use both. That the list ends at the first bad
        entry is CUDA's rule, assumed here: it was not tried on a GPU. A list of UUIDs leaves visibility unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from accel.model.device import Device
from accel.text.pattern import pattern

_UUID: Final = pattern(r"[0-9A-Fa-f]{8}-")
RUNTIME_MASK: Final = "MUSA_VISIBLE_DEVICES"


def with_visibility(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set as the runtime reads its mask."""
    order = sorted((d for d in devices if d.parent is None), key=lambda device: device.index)
    mask = variables.get(RUNTIME_MASK)
    if mask is not None and _UUID.search(mask):
        return tuple(devices)
    chosen = list(range(len(order))) if mask is None else runtime_ids(mask, len(order))
    names = {order[place].id: f"musa:{runtime}" for runtime, place in enumerate(chosen)}
    return tuple(
        replace(device, visible=device.id in names, runtime_names=(names[device.id],) if device.id in names else ())
        if device.parent is None
        else device
        for device in devices
    )


def runtime_ids(mask: str, count: int) -> list[int]:
    """Return the GPUs that the runtime takes of a mask, on a machine of `count` GPUs.

    >>> runtime_ids("2,0", 4), runtime_ids("0,7,1", 4), runtime_ids("", 4)
    ([2, 0], [0], [])
    """
    chosen: list[int] = []
    for entry in mask.split(","):
        entry = entry.strip()
        if not (entry.isascii() and entry.isdigit()) or int(entry) >= count or int(entry) in chosen:
            break
        chosen.append(int(entry))
    return chosen
