"""Which GPUs a new process would see.

ZE_AFFINITY_MASK          "0,1", or with tiles "0.0,1.1": Level Zero's own numbers. With the FLAT hierarchy they count
                          tiles.
ONEAPI_DEVICE_SELECTOR    "level_zero:0,1;opencl:*", "!level_zero:2", "*:gpu": SYCL's; a term without "!" allows, with
                          it forbids

Level Zero lists cards before integrated GPUs, so its numbers agree with ours only if all are of one kind; a
machine with both has `visible` None if the mask has numbers.

Source  oneAPI Level Zero specification: environment variables; intel/llvm: sycl/doc/EnvironmentVariables.md
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hidden_by, quoted

MASK: Final = "ZE_AFFINITY_MASK"
SELECTOR: Final = "ONEAPI_DEVICE_SELECTOR"


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` set; "xpu:0" is assigned only if a single device is left."""
    shown: list[bool | None] = [True] * len(devices)
    mask, selector = variables.get(MASK, "").strip(), variables.get(SELECTOR, "").strip()
    if mask:
        numbers = _numbers(mask)
        sure = numbers is not None and _numbered_alike(devices) and not _counts_tiles(devices, variables)
        shown = [device.index in (numbers or ()) if sure else None for device in devices]
    if selector:
        # The selector counts within the mask: with both, numbers are not the machine's.
        allowed = [None if mask and _has_number(selector) else _selected(selector, d, devices) for d in devices]
        shown = [_both(one, other) for one, other in zip(shown, allowed, strict=True)]
    only = shown.count(True) == 1 and None not in shown and not _counts_tiles(devices, variables)
    return tuple(
        replace(device, visible=is_shown, runtime_names=_names(is_shown, only))
        for device, is_shown in zip(devices, shown, strict=True)
    )


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen GPUs.

    They use Level Zero's numbers; if a mask is already set, its entries for these GPUs. The selector is not changed:
    with numbers it would count within the new mask, so it is then refused.
    """
    if _counts_tiles(devices, variables):
        return Mask(refused="Level Zero counts its tiles as devices: set ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE")
    seen = {device.id: device.visible for device in visible(devices, variables)}
    if any(seen[device.id] is False for device in chosen):
        return hidden_by(variables, (MASK, SELECTOR))
    if not _numbered_alike(devices) or _has_number(variables.get(SELECTOR, "")) or None in seen.values():
        here = quoted(variables, (MASK, SELECTOR))
        reason = f"{here} counts in an order" if here else "its number among unlike GPUs is one"
        return Mask(refused=f"{reason} that only Level Zero knows")
    set_already = [part.strip() for part in variables.get(MASK, "").split(",") if part.strip()]
    entries: list[str] = []
    for device in chosen:
        number = str(device.index)
        entries += [entry for entry in set_already if entry.partition(".")[0] == number] or [number]
    return Mask(environment={MASK: ",".join(entries)})


def _names(is_shown: bool | None, only: bool) -> tuple[str, ...] | None:
    if is_shown is False:
        return ()
    return ("xpu:0",) if is_shown and only else None


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _numbers(mask: str) -> set[int] | None:
    """Return the devices in "0,1" or "0.1,2"; None if it is not such a list."""
    parts = [part.strip().partition(".")[0] for part in mask.split(",") if part.strip()]
    return {int(p) for p in parts} if parts and all(p.isascii() and p.isdecimal() for p in parts) else None


def _numbered_alike(devices: Sequence[Device]) -> bool:
    """Return whether our order certainly equals Level Zero's: one GPU, or all of one product."""
    return len(devices) == 1 or len({device.pci_id for device in devices} - {None}) == 1


def _counts_tiles(devices: Sequence[Device], variables: Mapping[str, str]) -> bool:
    flat = variables.get("ZE_FLAT_DEVICE_HIERARCHY", "FLAT").upper() != "COMPOSITE"
    return flat and any((getattr(device, "tiles", None) or 1) > 1 for device in devices)


def _has_number(selector: str) -> bool:
    return any(character.isdecimal() for character in selector)


def _selected(selector: str, device: Device, devices: Sequence[Device]) -> bool | None:
    """Apply the terms about Level Zero."""
    terms = [term.strip() for term in selector.split(";") if term.strip()]
    shown = any(not term.startswith("!") for term in terms)
    result: bool | None = not shown
    for term in terms:
        runtime, _, choice = term.lstrip("!").partition(":")
        if runtime.strip() not in ("level_zero", "*"):
            continue
        allowed = _chosen(choice, device, devices)
        if term.startswith("!"):
            result = False if allowed else None if allowed is None and result else result
        else:
            result = True if allowed else None if allowed is None and not result else result
    return result


def _chosen(choice: str, device: Device, devices: Sequence[Device]) -> bool | None:
    parts = [part.strip() for part in choice.split(",") if part.strip()]
    if "*" in parts or "gpu" in parts:
        return True
    numbers = _numbers(choice)
    if numbers is None:
        return False if parts and all(part in ("cpu", "fpga", "acc") for part in parts) else None
    return device.index in numbers if _numbered_alike(devices) else None
