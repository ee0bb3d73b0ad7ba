"""CUDA_VISIBLE_DEVICES for chosen GPUs: by UUID, which does not depend on CUDA's numbering.

If a UUID is unknown (an old nvidia-smi, or only the bus was read), by index, if CUDA's order is known. CUDA shows a
process at most one MIG instance, and none together with a whole GPU (MIG User Guide, "CUDA_VISIBLE_DEVICES").
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hidden_by, numbers, quoted
from accel_nvidia.cuda_order import cuda_order, mig_is_on, named
from accel_nvidia.health import fabric_trouble

_MASK: Final = "CUDA_VISIBLE_DEVICES"


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen GPUs or MIG instance, out of those in the current mask."""
    ours = [device for device in devices if device.backend == "nvidia"]
    if any(device.is_top_level and mig_is_on(ours, device) for device in chosen):
        return Mask(refused="it is in MIG mode, but has no MIG instance:  sudo nvidia-smi mig -lgip  lists what fits")
    closed = next(filter(None, map(_closed, chosen)), None)
    if closed is not None:
        return Mask(refused=closed)
    if len(chosen) > 1 and any(device.parent for device in chosen):
        return Mask(refused="CUDA shows a program one MIG instance, and none together with a whole GPU")
    order = cuda_order(ours, variables)
    if _MASK in variables:
        allowed = named(ours, order, variables[_MASK])
        if allowed is None:
            told = f"{quoted(variables, (_MASK,))} counts boards of different models in an order that only CUDA knows"
            return Mask(refused=f"{told}: set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs")
        if not {device.id for device in chosen} <= {device.id for device in allowed}:
            return hidden_by(variables, (_MASK,))
    uuids = [device.uuid or "" for device in chosen]
    if all(uuid.startswith(("GPU-", "MIG-")) and _is_one(ours, uuid) for uuid in uuids):
        return Mask(environment={_MASK: ",".join(uuids)})
    if order is None or any(device.parent for device in chosen):
        return Mask(refused="its uuid is not known or not its own, and a number names no certain one here")
    return Mask(environment={_MASK: numbers(chosen, order)})


def _closed(device: Device) -> str | None:
    """Return why CUDA would not run on a listed GPU; None if there is no reason."""
    mode = getattr(device, "compute_mode", None)
    if mode == "prohibited":
        return "its compute mode is prohibited:  sudo nvidia-smi -c DEFAULT  lets programs in"
    if mode in ("exclusive-process", "exclusive-thread") and device.processes:
        return "its compute mode lets one process in, and one is there"
    if fabric_trouble(getattr(device, "fabric_state", None), getattr(device, "fabric_status", None)) is not None:
        return "it is not registered in the NVLink fabric:  accel doctor  says what to do"
    return None


def _is_one(devices: Sequence[Device], uuid: str) -> bool:
    """Return whether a UUID identifies one device: boards with badly written records may share one."""
    return sum(device.uuid == uuid for device in devices) == 1
