"""Which chips a new process is shown, by libtpu's mask variables.

TPU_VISIBLE_CHIPS (older: TPU_VISIBLE_DEVICES) lists chip numbers of this host: "0,2". JAX_PLATFORMS that names no tpu
hides them from JAX. TPU_PROCESS_BOUNDS and TPU_CHIPS_PER_PROCESS_BOUNDS lay out a slice and hide nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from accel.model.device import Device


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set. An unreadable mask leaves both None."""
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


def _shown(mask: str | None, indices: Sequence[int]) -> list[int] | None:
    """Return the chip numbers shown, in order; all without a mask; None for a mask that is no list of numbers."""
    if mask is None or not mask.strip():
        return sorted(indices)
    if not re.fullmatch(r"\s*\d{1,6}(\s*,\s*\d{1,6})*\s*(,\s*)?", mask):
        return None
    return [number for number in dict.fromkeys(map(int, re.findall(r"\d+", mask))) if number in indices]


def _jax_uses_tpu(variables: Mapping[str, str]) -> bool:
    platforms = variables.get("JAX_PLATFORMS", variables.get("JAX_PLATFORM_NAME", ""))
    return not platforms.strip() or "tpu" in re.split(r"[,\s]+", platforms.lower())
