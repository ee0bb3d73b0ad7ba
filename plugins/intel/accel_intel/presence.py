"""Whether an Intel GPU may be here, asked cheaply: one that i915 or xe serves, or a card of DRM whose maker is
Intel.
"""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine import Machine

_DRM: Final = "/sys/class/drm"
_DRIVERS: Final = ("/sys/bus/pci/drivers/i915", "/sys/bus/pci/drivers/xe")
_ADDRESS: Final = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def may_be_here(machine: "Machine") -> bool:
    """Say whether a driver of Intel's serves a GPU, or a card of DRM is Intel's."""
    if machine.system != "linux":
        return False
    return bool(bound(machine)) or any(_is_intel(machine, name) for name in cards(machine))


def bound(machine: "Machine") -> tuple[str, ...]:
    """Return the PCI addresses that i915 or xe serves."""
    return tuple(name for folder in _DRIVERS for name in machine.list(folder) if _ADDRESS.fullmatch(name))


def cards(machine: "Machine") -> tuple[str, ...]:
    """Return "card0" …, without the connectors "card0-DP-1"."""
    return tuple(name for name in machine.list(_DRM) if re.fullmatch(r"card\d+", name))


def _is_intel(machine: "Machine", card: str) -> bool:
    try:
        return machine.read(f"{_DRM}/{card}/device/vendor", 16).strip() == "0x8086"
    except OSError:
        return False
