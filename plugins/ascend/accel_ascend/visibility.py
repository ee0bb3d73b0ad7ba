"""Which chips a new process would be shown.

ASCEND_RT_VISIBLE_DEVICES   read by the CANN runtime: a comma list of the driver's dense logic ids, 0 to n-1. They are
                            taken in the list's order; at the first entry that is no such id, or a repeated one, the
                            runtime stops. Set and empty: no device.
ASCEND_VISIBLE_DEVICES      read by the Ascend container runtime when a container is made: physical ids, "0,2-3", or
                            "NoDevFiles" for none. Inside the container the nodes are already as it says, so it hides
                            nothing more from a process.

Source  vllm-ascend and mind-cluster documents; github.com/vllm-project/vllm-ascend/issues/10227
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from accel.model.device import Device
from accel_ascend.model import AscendDevice

RUNTIME_MASK: Final = "ASCEND_RT_VISIBLE_DEVICES"
CONTAINER_MASK: Final = "ASCEND_VISIBLE_DEVICES"


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set as the CANN runtime reads its mask.

    Unchanged where they are not the whole list: an answer about one NPU does not say which chip is the first.
    """
    if not all(_is_listed(device) for device in devices):
        return tuple(devices)
    order = sorted(devices, key=_logic_order)
    mask = variables.get(RUNTIME_MASK)
    chosen = list(range(len(order))) if mask is None else runtime_ids(mask, len(order))
    names = {order[logic].id: f"npu:{runtime}" for runtime, logic in enumerate(chosen)}
    return tuple(
        replace(device, visible=device.id in names, runtime_names=(names[device.id],) if device.id in names else ())
        for device in devices
    )


def runtime_ids(mask: str, count: int) -> list[int]:
    """Return the logic ids that the runtime takes of a mask, on a machine of `count` chips.

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


def container_ids(mask: str) -> tuple[int, ...] | None:
    """Return the physical ids that a container was given; () for none, None for a list that cannot be read.

    >>> container_ids("0,2-3"), container_ids("NoDevFiles"), container_ids("all")
    ((0, 2, 3), (), None)
    """
    if mask.strip() == "NoDevFiles":
        return ()
    found: list[int] = []
    for entry in mask.split(","):
        first, dash, last = entry.strip().removeprefix("Ascend910-").removeprefix("Ascend310P-").partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) - int(first) > 1024:
            return None
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def _logic_order(device: Device) -> tuple[int, int]:
    logic = device.logic_id if isinstance(device, AscendDevice) else None
    return (device.index if logic is None else logic, device.index)


def _is_listed(device: Device) -> bool:
    """Say whether the device comes from a list of all chips: npu-smi's table or mapping, or the nodes."""
    if not isinstance(device, AscendDevice) or device.logic_id is not None or device.physical_id is not None:
        return True
    return device.name is not None and device.memory_total_bytes is not None
