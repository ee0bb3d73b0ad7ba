"""Whether an Intel GPU may be present, checked cheaply.

It is if i915 or xe is bound to a GPU, if DRM has a card made by Intel, or if an Intel card on the bus has no driver.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DRM: Final = "/sys/class/drm"
_DRIVERS: Final = ("/sys/bus/pci/drivers/i915", "/sys/bus/pci/drivers/xe")
# DG1, Arc A and B, Flex and Max. Only for these is the bus gone through: every board of Intel's has ids of 8086.
_CARDS: Final = tuple(
    f"8086:{start}" for start in ("4905", "4906", "4907", "4908", "4909", "4f8", "56", "0bd", "0b6", "e2")
)
_BUS: Final = "/sys/bus/pci/devices"
_PLACES: Final = ((4, ":"), (7, ":"), (10, "."))  # of the characters in "0000:3b:00.0"


def may_be_here(machine: "Machine") -> bool:
    """Return whether an Intel driver is bound to a GPU, or a GPU is on the bus."""
    if machine.system != "linux":
        return False
    if bound(machine) or any(_is(machine, f"{_DRM}/{name}/device/vendor", "0x8086") for name in cards(machine)):
        return True
    if not any(pci_id.startswith(_CARDS) for pci_id in machine.pci_ids()):
        return False
    return any(
        _is(machine, f"{_BUS}/{name}/class", "0x03") and _is(machine, f"{_BUS}/{name}/vendor", "0x8086")
        for name in machine.list(_BUS)
    )


def bound(machine: "Machine") -> tuple[str, ...]:
    """Return the PCI addresses bound to i915 or xe."""
    return tuple(name for folder in _DRIVERS for name in machine.list(folder) if _is_address(name))


def cards(machine: "Machine") -> tuple[str, ...]:
    """Return "card0" …, without the connectors "card0-DP-1"."""
    return tuple(name for name in machine.list(_DRM) if name.startswith("card") and name[4:].isdecimal())


def _is_address(name: str) -> bool:
    """Return whether it is a PCI address: a driver's folder has other entries.

    A regular expression would take 4 ms to load.
    """
    return len(name) == 12 and all(name[place] == sign for place, sign in _PLACES)


def _is(machine: "Machine", path: str, start: str) -> bool:
    try:
        return machine.read(path, 16).startswith(start)
    except OSError:
        return False
