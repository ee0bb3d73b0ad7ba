"""Whether an Intel GPU may be here, asked cheaply: one that i915 or xe serves, a card of DRM whose maker is Intel, or
a card of Intel's on the bus that nothing serves.
"""

import re
from typing import TYPE_CHECKING, Final

from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DRM: Final = "/sys/class/drm"
_DRIVERS: Final = ("/sys/bus/pci/drivers/i915", "/sys/bus/pci/drivers/xe")
# DG1, Arc A and B, Flex and Max. Only for these is the bus gone through: every board of Intel's has ids of 8086.
_CARDS: Final = pattern(r"8086:(?:490[5-9]|4f8|56|0b[d6]|e2)", exact_case=True)
_BUS: Final = "/sys/bus/pci/devices"
_ADDRESS: Final = pattern(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", exact_case=True)


def may_be_here(machine: "Machine") -> bool:
    """Say whether a driver of Intel's serves a GPU, or one is on the bus."""
    if machine.system != "linux":
        return False
    if bound(machine) or any(_is(machine, f"{_DRM}/{name}/device/vendor", "0x8086") for name in cards(machine)):
        return True
    if not any(_CARDS.match(pci_id) for pci_id in machine.pci_ids()):
        return False
    return any(
        _is(machine, f"{_BUS}/{name}/class", "0x03") and _is(machine, f"{_BUS}/{name}/vendor", "0x8086")
        for name in machine.list(_BUS)
    )


def bound(machine: "Machine") -> tuple[str, ...]:
    """Return the PCI addresses that i915 or xe serves."""
    return tuple(name for folder in _DRIVERS for name in machine.list(folder) if _ADDRESS.fullmatch(name))


def cards(machine: "Machine") -> tuple[str, ...]:
    """Return "card0" …, without the connectors "card0-DP-1"."""
    return tuple(name for name in machine.list(_DRM) if re.fullmatch(r"card\d+", name))


def _is(machine: "Machine", path: str, start: str) -> bool:
    try:
        return machine.read(path, 16).startswith(start)
    except OSError:
        return False
