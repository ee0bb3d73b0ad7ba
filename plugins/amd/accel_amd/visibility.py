"""Which AMD GPUs ROCm shows to a new process, and what HIP calls them.

    ROCR_VISIBLE_DEVICES    read first, by the HSA runtime. Unset: all. A list of indices or of uuids ("GPU-…"); it ends
                            before the first entry that names no GPU, so an empty one shows none
    HIP_VISIBLE_DEVICES     read next, by HIP; its indices count within what is left. Empty is as unset
    CUDA_VISIBLE_DEVICES    stands for HIP_VISIBLE_DEVICES where that is unset or empty
GPU_DEVICE_ORDINAL is OpenCL's. Indices count KFD's nodes; where these are not known and there are several GPUs, an
index names no certain one. Source  ROCm: GPU isolation techniques; ROCR-Runtime, clr: their reading of the variables
"""

from collections.abc import Mapping, Sequence

from accel.model.device import Device
from accel.toolkit.visibility import chosen, shown


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` as the variables make them. Pure."""
    ours = [device for device in devices if device.backend == "amd"]
    nodes = [getattr(device, "node_id", None) for device in ours]
    ordered = len(ours) < 2 or (None not in nodes and len(set(nodes)) == len(nodes))
    left: list[Device] | None = sorted(ours, key=lambda d: getattr(d, "node_id", None) or 0) if ordered else list(ours)
    known = ordered
    for mask in _masks(variables):
        known = known or not any(entry.strip().isdigit() for entry in mask.split(","))
        sure = left is not None and (known or not mask.strip(" ,"))
        left = chosen(mask, left or (), strict=False) if sure else None
    names = ("cuda",) if known else ()
    return tuple(shown(device, left, names) if device.backend == "amd" else device for device in devices)


def _masks(variables: Mapping[str, str]) -> list[str]:
    """Return the masks in the order in which they apply."""
    first = variables.get("ROCR_VISIBLE_DEVICES")
    second = variables.get("HIP_VISIBLE_DEVICES") or variables.get("CUDA_VISIBLE_DEVICES")
    return [mask for mask in (first, second or None) if mask is not None]
