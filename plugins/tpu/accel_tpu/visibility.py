"""Which chips a new process would see, by libtpu's mask variables.

TPU_VISIBLE_CHIPS (older: TPU_VISIBLE_DEVICES) lists chip numbers of this host: "0,2". JAX_PLATFORMS that names no tpu
hides them from JAX. TPU_PROCESS_BOUNDS and TPU_CHIPS_PER_PROCESS_BOUNDS lay out a slice and hide nothing, but libtpu
uses fewer chips than the host has only with both: the shape of the chips, and one process.

Source  specs/tpu/generations.yaml; gist.github.com/skye/f82ba45d2445bb19d53545538754f9a3 by a developer of JAX (shapes
        of one chip and of two, read 2026-11-22). Other shapes are undocumented, so they are not set.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import hidden_by, quoted

_MASKS: Final = ("TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES")
_SPLIT: Final = ("v2", "v3", "v4", "v5e", "v5p", "v6e")  # generations on which a process can use single chips
_PAIRS: Final = ((0, 1), (2, 3))  # pairs on a host with four chips (2x2)


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set. With an unreadable mask both are None."""
    mask = variables.get("TPU_VISIBLE_CHIPS", variables.get("TPU_VISIBLE_DEVICES"))
    shown = _shown(mask, [device.index for device in devices])
    if shown is None:
        return tuple(devices)
    jax = _jax_uses_tpu(variables)
    names: dict[int, tuple[str, ...]] = {}
    at = 0
    for index in shown:
        device = next(d for d in devices if d.index == index)
        each = getattr(device, "devices_per_chip", None)
        if each is None:
            names = {}
            break
        names[index] = tuple(f"tpu:{at + n}" for n in range(each))
        at += each
    return tuple(
        replace(
            device,
            visible=device.index in shown and jax,
            runtime_names=names.get(device.index) if jax and device.index in shown else (),
        )
        for device in devices
    )


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return the variables that show only the chosen chips: all, one, or two neighbours on a host with four."""
    text = variables.get(_MASKS[0], variables.get(_MASKS[1]))
    left = _shown(text, [device.index for device in devices])
    wanted = [device.index for device in chosen]
    if left is None:
        return Mask(refused=f"{quoted(variables, _MASKS)} is no list of chips")
    if not set(wanted) <= set(left):
        return hidden_by(variables, _MASKS)
    if not _jax_uses_tpu(variables):
        return hidden_by(variables, ("JAX_PLATFORMS", "JAX_PLATFORM_NAME"))
    if sorted(wanted) == sorted(left):
        return Mask()  # unchanged: the variables were set together with related ones
    if any(device.architecture not in _SPLIT or getattr(device, "core_on_chip", None) is not None for device in chosen):
        return Mask(refused="how libtpu is given some of these chips is not known; all of them need no mask")
    if len(wanted) == 1:
        shape = "1,1,1"
    elif len(devices) == 4 and tuple(wanted) in _PAIRS:
        shape = "1,2,1"
    else:
        return Mask(refused="libtpu uses one chip, a pair of neighbours on a host of four, or all of them")
    name = next((name for name in _MASKS if name in variables), _MASKS[0])
    one_process = {"TPU_CHIPS_PER_PROCESS_BOUNDS": shape, "TPU_PROCESS_BOUNDS": "1,1,1"}
    return Mask(environment={name: ",".join(map(str, wanted)), **one_process})


def _shown(mask: str | None, indices: Sequence[int]) -> list[int] | None:
    """Return the visible chip numbers, in order; all without a mask; None if the mask is invalid."""
    if mask is None or not mask.strip():
        return sorted(indices)
    if not re.fullmatch(r"\s*\d{1,6}(\s*,\s*\d{1,6})*\s*(,\s*)?", mask):
        return None
    return [number for number in dict.fromkeys(map(int, re.findall(r"\d+", mask))) if number in indices]


def _jax_uses_tpu(variables: Mapping[str, str]) -> bool:
    platforms = variables.get("JAX_PLATFORMS", variables.get("JAX_PLATFORM_NAME", ""))
    return not platforms.strip() or "tpu" in re.split(r"[,\s]+", platforms.lower())
