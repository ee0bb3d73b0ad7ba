"""Whether a TPU may be present. Loads and runs nothing.

The vendor ID 1ae0 alone is not enough: Google's network and storage functions have it too.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

LOCK_FILE = "/tmp/libtpu_lockfile"


def may_be_here(machine: "Machine") -> bool:
    """Return whether there is a device node, libtpu's lock file, or a Google accelerator on the PCI bus."""
    if machine.exists(LOCK_FILE) or any(n.startswith("accel") and n[5:].isdecimal() for n in machine.list("/dev")):
        return True
    if not any(pci_id.startswith("1ae0:") for pci_id in machine.pci_ids()):
        return False
    from accel_tpu import pci

    return any(pci.chips(machine))
