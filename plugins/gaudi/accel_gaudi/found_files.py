"""What the file system shows about Gaudi cards, without starting anything.

/sys/bus/pci/devices/<address>/{vendor,device,numa_node}
/sys/bus/pci/devices/<address>/accel/accel0          its number; /dev/accel/accel0 is its node
/sys/bus/pci/devices/<address>/habanalabs/hl0        the same with drivers before 1.10, and /dev/hl0
/sys/class/accel/accel0/device/status                "Operational", "In reset", "Malfunction" …; or class/habanalabs/hl0
/sys/module/habanalabs/version                       version of the loaded driver

Source  Linux: Documentation/ABI/testing/sysfs-driver-habanalabs, drivers/accel/habanalabs
"""

from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.observation import Noted
from accel.model.report import Driver, Report
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.pci_boards import BUS, Board, boards
from accel_gaudi.model import BACKEND, GaudiDevice, gaudi, health_of, with_product

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SOURCE: Final = "sysfs"


def files_report(machine: "Machine") -> Report:
    """Return the cards on the PCI bus, with their nodes and the driver's status of each."""
    version = file_text(machine, "/sys/module/habanalabs/version")
    loaded = machine.exists("/sys/module/habanalabs") or machine.exists("/sys/bus/pci/drivers/habanalabs")
    made = (_device(machine, board, version) for board in boards(machine, lambda pci_id: pci_id.startswith("1da3:")))
    cards = tuple(
        replace(card, id=f"{BACKEND}:{index}", index=index)
        for index, card in enumerate(card for card in made if card.architecture)
    )
    seen: tuple[Noted, ...] = ()
    if cards and not loaded:
        said = f"{len(cards)} Gaudi cards on the PCI bus, the module habanalabs is not loaded"
        seen = (noted("gaudi-no-module", said, "/sys/module"),)
    gaps = tuple(
        Gap(
            fact="device_path",
            reason="the driver made no node for it, or this container was not given it",
            device=card.id,
            backend=BACKEND,
            source=SOURCE,
        )
        for card in cards
        if card.device_path is None
    )
    return Report(
        backend=BACKEND,
        source=SOURCE,
        status="partial" if gaps else "ok" if cards else "absent",
        trust=40,
        driver=Driver(version=version) if version else None,
        devices=cards,
        observations=seen,
        gaps=gaps,
    )


def _device(machine: "Machine", board: Board, version: str | None) -> GaudiDevice:
    folder = f"{BUS}/{board.address}"
    node = status = None
    for kind, place in (("accel", "/dev/accel"), ("habanalabs", "/dev")):
        number = next((n for n in machine.list(f"{folder}/{kind}") if n.strip("acelh").isdecimal()), None)
        if number is not None:
            node = f"{place}/{number}"
            own = f"/sys/class/{kind}/{number}"
            status = file_text(machine, f"{own}/device/status") or file_text(machine, f"{own}/status")
            break
    present = node is not None and machine.exists(node)
    return with_product(
        replace(
            gaudi(0),
            pci_address=board.address,
            pci_id=board.pci_id,
            numa_node=board.numa_node,
            driver_version=version,
            module_status=status,
            health=health_of(status) if status else "unknown",
            device_path=node if present else None,
            node_accessible=machine.accessible(node) if present and node else None,
        )
    )
