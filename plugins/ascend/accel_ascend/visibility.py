"""Which chips a new process would see.

ASCEND_RT_VISIBLE_DEVICES   read by the CANN runtime: a comma-separated list of the driver's dense logic IDs, 0 to n-1.
                            They are used in list order; at the first entry that is invalid or repeated, the runtime
                            stops. Set and empty: no device.
ASCEND_VISIBLE_DEVICES      read by the Ascend container runtime when a container is created: physical ids, "0,2-3", or
                            "NoDevFiles" for none. Inside the container it has already been applied, so it hides
                            nothing more from a process.

Source  vllm-ascend and mind-cluster documents; github.com/vllm-project/vllm-ascend/issues/10227
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hides, numbers
from accel.vendors.toolkit.visibility import shown

RUNTIME_MASK: Final = "ASCEND_RT_VISIBLE_DEVICES"
CONTAINER_MASK: Final = "ASCEND_VISIBLE_DEVICES"


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set as the CANN runtime reads its mask.

    They are unchanged if they are not the complete list: output about one NPU does not say which chip is the first.
    """
    if not all(_is_listed(device) for device in devices):
        return tuple(devices)
    left = _left(sorted(devices, key=_logic_order), variables)
    return tuple(shown(device, left, ("npu",)) for device in devices)


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen chips: logic IDs, which count all chips regardless of the mask."""
    if not all(_is_listed(device) for device in devices):
        return Mask(refused="the list of chips is incomplete, so a logic id identifies none of them with certainty")
    order = sorted(devices, key=_logic_order)
    refused = hides(chosen, _left(order, variables), variables, (RUNTIME_MASK,))
    return refused or Mask(environment={RUNTIME_MASK: numbers(chosen, order)})


def _left(order: Sequence[Device], variables: Mapping[str, str]) -> list[Device]:
    mask = variables.get(RUNTIME_MASK)
    return list(order) if mask is None else [order[logic] for logic in runtime_ids(mask, len(order))]


def runtime_ids(mask: str, count: int) -> list[int]:
    """Return the logic IDs that the runtime takes from a mask, on a machine with `count` chips.

    >>> runtime_ids("2,0", 4), runtime_ids("0,7,1", 4), runtime_ids("", 4)
    ([2, 0], [0], [])
    """
    chosen: list[int] = []
    for entry in mask.split(","):
        entry = entry.strip()
        if not (entry.isascii() and entry.isdecimal()) or int(entry) >= count or int(entry) in chosen:
            break
        chosen.append(int(entry))
    return chosen


def _logic_order(device: Device) -> tuple[int, int]:
    logic = getattr(device, "logic_id", None)  # a plain device has none
    return (device.index if logic is None else logic, device.index)


def _is_listed(device: Device) -> bool:
    """Return whether the device comes from a list of all chips: npu-smi's table or mapping, or the nodes."""
    from accel_ascend.model import AscendDevice  # defining the large record class takes milliseconds

    if not isinstance(device, AscendDevice) or device.logic_id is not None or device.physical_id is not None:
        return True
    return device.name is not None and device.memory_total_bytes is not None
