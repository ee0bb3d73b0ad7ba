"""CUDA_VISIBLE_DEVICES for certain GPUs: by uuid, which holds whatever the order in which CUDA numbers them.

Where a uuid is not known (nvidia-smi of another age, facts of the bus alone), by number, if CUDA's order is known. CUDA
shows a process one MIG instance at most, and none beside a whole GPU (MIG User Guide, "CUDA_VISIBLE_DEVICES").
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.contract.backend import Mask
from accel.model.device import Device
from accel.toolkit.masking import hidden_by, numbers, quoted
from accel_nvidia.visibility import cuda_order, mig_is_on, named

_MASK: Final = "CUDA_VISIBLE_DEVICES"


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return what shows the chosen GPUs or the MIG instance alone, out of what the mask that is set names."""
    ours = [device for device in devices if device.backend == "nvidia"]
    if any(device.parent is None and mig_is_on(ours, device) for device in chosen):
        return Mask(refused="it is in MIG mode, and has no MIG instance:  sudo nvidia-smi mig -lgip  lists what fits")
    if len(chosen) > 1 and any(device.parent for device in chosen):
        return Mask(refused="CUDA shows a program one MIG instance, and none beside a whole GPU")
    order = cuda_order(ours, variables)
    if _MASK in variables:
        allowed = named(ours, order, variables[_MASK])
        if allowed is None:
            told = f"{quoted(variables, (_MASK,))} counts unlike boards in an order that only CUDA knows"
            return Mask(refused=f"{told}: set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name uuids")
        if not {device.id for device in chosen} <= {device.id for device in allowed}:
            return hidden_by(variables, (_MASK,))
    uuids = [device.uuid or "" for device in chosen]
    if all(uuid.startswith(("GPU-", "MIG-")) for uuid in uuids):
        return Mask(environment={_MASK: ",".join(uuids)})
    if order is None or any(device.parent for device in chosen):
        return Mask(refused="its uuid is not known, and a number names no certain one here")
    return Mask(environment={_MASK: numbers(chosen, order)})
