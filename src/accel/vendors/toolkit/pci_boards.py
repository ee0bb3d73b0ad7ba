"""A vendor's boards on a live machine's PCI bus, whether or not a driver is bound to them.

Reads   /sys/bus/pci/devices/<address>/{vendor,device,numa_node}    "0x1da3", "0x1020", "1"; numa_node "-1": none
"""

from collections.abc import Callable, Iterator
from typing import Final

from accel.machine.files import file_number, file_text
from accel.machine.protocol import Machine
from accel.model.dataclass import dataclass

BUS: Final = "/sys/bus/pci/devices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A function on the bus. pci_id: "vendor:device", in lower-case hex."""

    address: str
    pci_id: str
    numa_node: int | None


def boards(machine: Machine, is_board: Callable[[str], bool]) -> Iterator[Board]:
    """Yield the boards by address. is_board: whether an id is one's."""
    for address in machine.list(BUS):
        vendor, device = ((file_text(machine, f"{BUS}/{address}/{name}") or "") for name in ("vendor", "device"))
        pci_id = f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
        if is_board(pci_id):
            node = file_number(machine, f"{BUS}/{address}/numa_node")
            yield Board(address=address.lower(), pci_id=pci_id, numa_node=node)
