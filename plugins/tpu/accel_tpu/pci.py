"""TPU chips on the PCI bus, distinguished from Google's other devices.

    /sys/bus/pci/devices/0000:00:04.0/{vendor,device,subsystem_device}     "0x1ae0", "0x005e", "0x004e"
    /sys/bus/pci/devices/0000:00:05.0/iommu_group -> ../../../kernel/iommu_groups/0

The ids are in specs/tpu/pci.yaml. Two functions of one slot are the two halves of one chip (TPU7x).
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_number, file_text, names_in
from accel.model.dataclass import dataclass
from accel.specs import load

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

ROOT: Final = "/sys/bus/pci/devices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One PCI function of a TPU. generation None: a part that Google never named publicly."""

    address: str
    pci_id: str
    generation: str | None
    iommu_group: int | None
    numa_node: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One chip: the functions of one slot, lowest first."""

    functions: tuple[Function, ...]

    @property
    def first(self) -> Function:
        return self.functions[0]


def table() -> Mapping[str, Any]:
    """Return specs/tpu/pci.yaml."""
    found: Mapping[str, Any] = load().table("tpu/pci") or {"vendor": "1ae0", "functions": (), "generations": {}}
    return found


def google_addresses(machine: "Machine") -> tuple[str, ...]:
    """Return the addresses of all of Google's devices on the bus, including gVNIC and NVMe."""
    return tuple(name for name in names_in(machine, ROOT) if _hex(machine, name, "vendor") == "1ae0")


def chips(machine: "Machine") -> tuple[tuple[Chip, ...], tuple[str, ...]]:
    """Return the chips in address order, and the addresses of accelerators of unknown kind."""
    ids = table()
    found: list[Function] = []
    unknown: list[str] = []
    for address in google_addresses(machine):
        device = _hex(machine, address, "device") or ""
        entries = [entry for entry in ids["functions"] if entry["device"] == device]
        if entries:
            found.append(_function(machine, address, device, _generation(machine, address, entries)))
        elif (file_text(machine, f"{ROOT}/{address}/class") or "").startswith(ids.get("accelerator_class", "0x12")):
            unknown.append(address)
    return grouped(found), tuple(unknown)


def grouped(functions: Iterable[Function]) -> tuple[Chip, ...]:
    """Merge the functions of one slot into a chip."""
    slots: dict[str, list[Function]] = {}
    for function in sorted(functions, key=lambda f: f.address):
        slots.setdefault(function.address.rpartition(".")[0], []).append(function)
    return tuple(Chip(functions=tuple(group)) for group in slots.values())


def _generation(machine: "Machine", address: str, entries: list[Mapping[str, Any]]) -> str | None:
    """Return the generation; None if the subsystem ID, which tells v2 from v3, is unreadable or unknown."""
    if len(entries) == 1 and "subsystem" not in entries[0]:
        generation: str | None = entries[0]["generation"]
        return generation
    subsystem = _hex(machine, address, "subsystem_device")
    return next((entry["generation"] for entry in entries if entry.get("subsystem") == subsystem), None)


def _function(machine: "Machine", address: str, device: str, generation: str | None) -> Function:
    group = machine.link(f"{ROOT}/{address}/iommu_group")
    number = re.search(r"/(\d+)/?$", group or "")
    return Function(
        address=address,
        pci_id=f"1ae0:{device}",
        generation=generation,
        iommu_group=int(number[1]) if number else None,
        numa_node=file_number(machine, f"{ROOT}/{address}/numa_node"),
    )


def _hex(machine: "Machine", address: str, name: str) -> str | None:
    text = file_text(machine, f"{ROOT}/{address}/{name}")
    return text.removeprefix("0x").lower() if text else None
