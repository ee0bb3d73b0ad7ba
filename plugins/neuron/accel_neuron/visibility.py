"""Which devices a new process would see.

NEURON_RT_VISIBLE_CORES   "0-3", "0,2", "4": the cores that the runtime may use, counted across all devices
NEURON_RT_NUM_CORES       how many it takes, from the first free one: which ones is unknown in advance, so it hides
                          none
AWS_NEURON_VISIBLE_DEVICES  read by the container hook: inside the container it has already been applied

Source  aws-neuron-sdk: Neuron Runtime Configuration
"""

from collections.abc import Mapping, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hidden_by, quoted
from accel_neuron.readers.values import numbers

MASK = "NEURON_RT_VISIBLE_CORES"


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` set: visible if one of its cores is. None if cores or mask are unknown."""
    mask = variables.get(MASK, "").strip()
    cores = numbers(mask) if mask else None
    return tuple(_masked(device, bool(mask), cores) for device in devices)


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen devices: those of their cores that the mask leaves."""
    text = variables.get(MASK, "").strip()
    allowed = numbers(text) if text else None
    if text and allowed is None:
        return Mask(refused=f"{quoted(variables, (MASK,))} is no list of cores")
    cores: list[int] = []
    for device in chosen:
        own = _cores(device)
        if own is None:
            return Mask(refused="the numbers of its cores are not known")
        left = [core for core in own if allowed is None or core in allowed]
        if not left:
            return hidden_by(variables, (MASK,))
        cores += left
    return Mask(environment={MASK: ",".join(map(str, sorted(cores)))})


def _masked(device: Device, masked: bool, cores: tuple[int, ...] | None) -> Device:
    if not masked:
        return replace(device, visible=True)
    own = _cores(device)
    if own is None or cores is None:
        return replace(device, visible=None)
    shown = any(core in cores for core in own)
    return replace(device, visible=shown, runtime_names=None if shown else ())


def _cores(device: Device) -> tuple[int, ...] | None:
    """Return the device's core numbers, from the count, which is the same for all devices of a machine."""
    ids: tuple[int, ...] | None = getattr(device, "core_ids", None)
    each: int | None = getattr(device, "core_count", None)
    if ids is None and each:
        return tuple(range(device.index * each, (device.index + 1) * each))
    return ids
