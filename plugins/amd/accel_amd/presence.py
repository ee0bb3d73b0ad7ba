"""Whether an AMD GPU may be present. Imports nothing: every command checks this first.

1002 is the vendor ID of AMD's graphics; their audio functions and on-board bridges have it too, so the class of a
function decides. AMD's CPUs and chipsets are 1022. If the bus is hidden, KFD's node or topology is the indication.
"""

from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

BUS: Final = "/sys/bus/pci/devices"
_KFD: Final = ("/dev/kfd", "/sys/class/kfd/kfd/topology")
_DRM: Final = "/sys/class/drm"


def may_be_here(machine: "Machine") -> bool:
    """Return whether there is an AMD compute or display function; nothing is loaded or run."""
    ids = machine.pci_ids()
    if not ids:
        return any(machine.exists(path) for path in _KFD)
    if not any(pci_id.startswith("1002:") for pci_id in ids):
        return False
    if machine.exists(_KFD[0]) or any(
        file_text(machine, f"{_DRM}/{name}/device/vendor") == "0x1002"
        for name in machine.list(_DRM)
        if name.startswith("card") and "-" not in name
    ):
        return True
    return bool(gpu_addresses(machine))


def gpu_addresses(machine: "Machine") -> tuple[str, ...]:
    """Return the PCI addresses of AMD's display controllers (class 03) and processing accelerators (class 12)."""
    return tuple(
        address
        for address in machine.list(BUS)
        if file_text(machine, f"{BUS}/{address}/vendor") == "0x1002"
        and (file_text(machine, f"{BUS}/{address}/class") or "").startswith(("0x03", "0x12"))
    )
