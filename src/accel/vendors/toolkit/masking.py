"""The environment variables that restrict a new process to some devices of a vendor whose runtime parses lists like
CUDA.

Each list selects from the devices that the list before it left, so the last one that is set has to be changed: earlier
ones keep hiding what they hide.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.contract.vendor import Masks
from accel.vendors.toolkit.visibility import left_by

_LONGEST: Final = 60  # characters of a variable that are quoted


def mask_by_masks(
    chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str], masks: Masks | None
) -> Mask:
    """Return the Mask for the chosen devices; refused if the indices are ambiguous."""
    whole = sorted((device for device in devices if device.is_top_level), key=lambda device: device.index)
    if masks is None:
        return all_or_none(chosen, devices)
    if not all(device.is_top_level for device in chosen):
        return Mask(refused="its runtime only shows whole devices")
    if [device.index for device in whole] != list(range(len(whole))):
        return Mask(refused="not every device of the machine is listed here, so a number names no certain one")
    left: list[Device] | None = whole
    names: Sequence[str] = masks.lists[0][:1]
    among = whole
    for variants in masks.lists:
        here = [name for name in variants if name in variables]
        if left is None or not here:
            continue
        names, among = here[:1] if masks.first_counts else here, left
        left = left_by(left, [variables[name].strip() for name in here], masks.first_counts)
        if left is None:
            return Mask(refused=f"{quoted(variables, here)} cannot be followed")
    if refused := hides(chosen, left or (), variables, [name for variants in masks.lists for name in variants]):
        return refused
    return Mask(environment=dict.fromkeys(names, numbers(chosen, among)))


def not_told(backend: str) -> Mask:
    """Return the refusal of a plugin that declares no mask variables."""
    return Mask(refused=f"the plugin {backend} does not say which variable limits the devices that a program sees")


def all_or_none(chosen: Sequence[Device], devices: Sequence[Device]) -> Mask:
    """Return the Mask if there is no variable: empty if all devices were chosen, otherwise refused."""
    if {device.id for device in chosen} == {device.id for device in devices if device.is_top_level}:
        return Mask()
    return Mask(refused="its runtime shows a program all devices or none")


def hides(
    chosen: Sequence[Device], left: Sequence[Device], variables: Mapping[str, str], names: Sequence[str]
) -> Mask | None:
    """Return the refusal if a chosen device is hidden by variables that are already set."""
    ids = {device.id for device in left}
    return None if all(device.id in ids for device in chosen) else hidden_by(variables, names)


def hidden_by(variables: Mapping[str, str], names: Sequence[str]) -> Mask:
    """Return a refusal that names the variables that are set."""
    said = quoted(variables, names)
    return Mask(refused=f"{said} hides it" if said else "its runtime shows it to no program")


def quoted(variables: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the variables that are set, in shell syntax: "ROCR_VISIBLE_DEVICES=0,1"."""
    return " ".join(f"{name}={variables[name].strip()[:_LONGEST]}" for name in names if name in variables)


def numbers(chosen: Sequence[Device], among: Sequence[Device]) -> str:
    """Return the positions of the chosen devices: "2,0"."""
    places = {device.id: place for place, device in enumerate(among)}
    return ",".join(str(places[device.id]) for device in chosen)
