"""Which AMD GPUs ROCm shows to a new process, and HIP's names for them.

    ROCR_VISIBLE_DEVICES    read first, by the HSA runtime. Unset: all. A list of indices or UUIDs ("GPU-…"); it ends
                            before the first entry that names no GPU, so an empty one shows none
    HIP_VISIBLE_DEVICES     read next, by HIP; its indices count within what is left. Empty means unset
    CUDA_VISIBLE_DEVICES    replaces HIP_VISIBLE_DEVICES if that is unset or empty
GPU_DEVICE_ORDINAL is OpenCL's. Indices count KFD's nodes; where these are unknown and there are several GPUs, an
index names no certain one. Source  ROCm: GPU isolation techniques; ROCR-Runtime, clr: their reading of the variables
"""

from collections.abc import Mapping, Sequence

from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hides, numbers, quoted
from accel.vendors.toolkit.visibility import chosen, shown

_ALL = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` according to the variables. Pure."""
    left, known = _left([device for device in devices if device.backend == "amd"], _masks(variables))
    names = ("cuda",) if known else ()
    return tuple(shown(device, left, names) if device.backend == "amd" else device for device in devices)


def mask(wanted: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the wanted GPUs, among those that the current masks leave.

    They are HIP's indices, which frameworks read, if KFD's order is known; otherwise UUIDs in ROCR_VISIBLE_DEVICES.
    """
    ours = [device for device in devices if device.backend == "amd"]
    left, _ = _left(ours, _masks(variables))
    if left is None:
        return Mask(refused=f"{quoted(variables, _ALL)} counts in an order that is not known without KFD's node ids")
    if refused := hides(wanted, left, variables, _ALL):
        return refused
    among, known = _left(ours, _masks(variables)[:1] if "ROCR_VISIBLE_DEVICES" in variables else [])
    if known and among is not None:
        name = next((name for name in _ALL[1:] if variables.get(name)), "HIP_VISIBLE_DEVICES")
        return Mask(environment={name: numbers(wanted, among)})
    uuids = [device.uuid or "" for device in wanted]
    if len(set(uuids)) == len(uuids) and all(uuid.startswith("GPU-") for uuid in uuids) and not _masks(variables):
        return Mask(environment={"ROCR_VISIBLE_DEVICES": ",".join(uuids)})
    return Mask(refused="neither KFD's order of the GPUs nor its uuid is known, so no mask names it for certain")


def _left(ours: Sequence[Device], masks: Sequence[str]) -> tuple[list[Device] | None, bool]:
    """Return the GPUs that the masks leave, in HIP's order, None if unknown; and whether the order is known.

    A mask that could be applied defines the order itself.
    """
    nodes = [getattr(device, "node_id", None) for device in ours]
    known = len(ours) < 2 or (None not in nodes and len(set(nodes)) == len(nodes))
    left: list[Device] | None = sorted(ours, key=lambda d: getattr(d, "node_id", None) or 0) if known else list(ours)
    for text in masks:
        known = known or not any(entry.strip().isdecimal() for entry in text.split(","))
        sure = left is not None and (known or not text.strip(" ,"))
        left = chosen(text, left or (), strict=False) if sure else None
    return left, known


def _masks(variables: Mapping[str, str]) -> list[str]:
    """Return the masks in the order in which they apply."""
    first = variables.get("ROCR_VISIBLE_DEVICES")
    second = variables.get("HIP_VISIBLE_DEVICES") or variables.get("CUDA_VISIBLE_DEVICES")
    return [mask for mask in (first, second or None) if mask is not None]
