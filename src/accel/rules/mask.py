"""Which devices a new process would be shown, where the vendor's runtime reads one list of numbers or uuids."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accel.model.device import Device


def visible(
    devices: Sequence[Device], variables: Mapping[str, str], mask: str | None, runtime: str | None
) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set; unchanged where the list cannot be followed.

    mask     the variable; None: the runtime has none, and all are shown
    runtime  what programs call a device, "acme" of "acme:0"; None: it is not known
    """
    order = sorted(devices, key=lambda device: device.index)
    if [device.index for device in order] != list(range(len(order))):  # not the whole list: numbers tell nothing
        return tuple(devices)
    listed = variables.get(mask) if mask else None
    shown = [device.id for device in order] if listed is None else _chosen(listed, order)
    if shown is None:
        return tuple(devices)
    return tuple(
        replace(
            device,
            visible=device.id in shown,
            runtime_names=None if runtime is None else _names(device.id, shown, runtime),
        )
        for device in devices
    )


def _names(device: str, shown: Sequence[str], runtime: str) -> tuple[str, ...]:
    return (f"{runtime}:{shown.index(device)}",) if device in shown else ()


def _chosen(listed: str, order: Sequence[Device]) -> list[str] | None:
    """Return the ids that the list names, in its order; None for an entry that is no number and nobody's uuid."""
    by_entry = {str(device.index): device.id for device in order}
    by_entry |= {device.uuid.lower(): device.id for device in order if device.uuid}
    entries = [entry.strip().lower() for entry in listed.split(",") if entry.strip()]
    found = [by_entry.get(entry) for entry in entries]
    if any(one is None and not entry.lstrip("-").isdigit() for entry, one in zip(entries, found, strict=True)):
        return None
    return list(dict.fromkeys(one for one in found if one is not None))
