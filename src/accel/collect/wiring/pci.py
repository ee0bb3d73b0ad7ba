"""Functions of the PCI bus: the accelerators, and each port between them and the root.

Reads   /sys/bus/pci/devices/<address>      a link: "../../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0"
            class vendor device             "0x030200", "0x10de", "0x2330"
            current_link_speed, max_link_speed      "16.0 GT/s PCIe", "Unknown"; before Linux 4.18 "8 GT/s"
            current_link_width, max_link_width      "16"; 0, and 63 and more: no link
            numa_node local_cpulist         "-1" if the firmware does not say
            driver iommu_group              links
            power/runtime_status            "suspended": its configuration space is not read, which would wake it
            config                          of ports: access control; only root may read all of it
        /sys/kernel/iommu_groups/<n>/type   "DMA", "DMA-FQ", "identity"; since Linux 5.11
Source  Linux Documentation/ABI/testing/sysfs-bus-pci, sysfs-kernel-iommu_groups
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from accel.collect.wiring.config_space import SIZE_BYTES, acs
from accel.machine.files import file_text, names_in
from accel.machine.protocol import Machine
from accel.model.wiring import PciFunction, Role
from accel.text.pattern import pattern

BUS: Final = "/sys/bus/pci/devices"
MOST_FUNCTIONS: Final = 1024  # accelerators of one machine
_ADDRESS: Final = pattern(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_ROOT: Final = pattern(r"pci[0-9a-f]{4,8}:[0-9a-f]{2}")
_SPEED: Final = pattern(r"(\d{1,3}(?:\.\d{1,2})?) GT/s")
_ACCELERATORS: Final = ("0x03", "0x12", "0x0b")  # classes: display, processing accelerator, processor
_NO_BOARD: Final = ("0x01", "0x02", "0x04", "0x06", "0x07", "0x0c")  # storage, network, sound, bridge, serial buses
_WIDEST: Final = 32  # lanes; a link that is down says 63


def accelerators(machine: Machine, boards: Iterable[str]) -> Iterator[str]:
    """Yield the addresses of the accelerators on the bus, in order.

    boards  prefixes of "vendor:device" of further accelerators, regardless of their class
    """
    starts, count = tuple(boards), 0
    vendors = frozenset(start.partition(":")[0] for start in starts)
    for address in names_in(machine, BUS):
        kind = file_text(machine, f"{BUS}/{address}/class", 64) or ""
        if kind.startswith(_ACCELERATORS) or (
            not kind.startswith(_NO_BOARD)
            and _id(machine, address, "vendor") in vendors
            and (_pci_id(machine, address) or "").startswith(starts)
        ):
            yield address
            count += 1
        if count >= MOST_FUNCTIONS:
            return


def path_of(machine: Machine, address: str) -> tuple[str | None, tuple[str, ...] | None]:
    """Return the root of a function and the ports in between, starting at the root; None if unknown."""
    parts = (machine.link(f"{BUS}/{address}") or "").split("/")
    roots = [place for place, part in enumerate(parts) if _ROOT.fullmatch(part)]
    if not roots or parts[-1] != address:
        return None, None
    between = parts[roots[-1] + 1 : -1]  # a volume manager (VMD) has its own root below another
    return parts[roots[-1]], tuple(part for part in between if _ADDRESS.fullmatch(part))


def function(machine: Machine, address: str, role: Role, *, brief: bool = False) -> PciFunction:
    """Return the kernel's facts about one function. brief: without a port's id and NUMA node."""
    brief = brief and role == "port"
    folder = f"{BUS}/{address}"
    root, above = path_of(machine, address)
    asleep = file_text(machine, f"{folder}/power/runtime_status", 64) == "suspended"
    group = _number(_name(machine.link(f"{folder}/iommu_group")))
    numa = None if brief else _number(file_text(machine, f"{folder}/numa_node", 64))
    return PciFunction(
        address=address,
        role=role,
        pci_id=None if brief else _pci_id(machine, address),
        driver=_name(machine.link(f"{folder}/driver")),
        above=above,
        host_bridge=root,
        numa_node=numa,
        cpus=file_text(machine, f"{folder}/local_cpulist", 4096) if role != "port" else None,
        speed_gts=None if asleep else speed_gts(file_text(machine, f"{folder}/current_link_speed", 64)),
        speed_maximum_gts=None if asleep else speed_gts(file_text(machine, f"{folder}/max_link_speed", 64)),
        width=None if asleep else _lanes(file_text(machine, f"{folder}/current_link_width", 64)),
        width_maximum=None if asleep else _lanes(file_text(machine, f"{folder}/max_link_width", 64)),
        iommu_group=group,
        iommu_type=file_text(machine, f"/sys/kernel/iommu_groups/{group}/type", 64) if group is not None else None,
        acs=_acs(machine, folder) if role == "port" and not asleep else None,
        asleep=asleep,
    )


def speed_gts(text: str | None) -> float | None:
    """Return the kernel's link speed in gigatransfers per second and lane.

    >>> speed_gts("32.0 GT/s PCIe"), speed_gts("8 GT/s"), speed_gts("Unknown"), speed_gts(None)
    (32.0, 8.0, None, None)
    """
    found = _SPEED.match(text or "")
    return float(found[1]) if found else None


def _lanes(text: str | None) -> int | None:
    lanes = _number(text)
    return lanes if lanes is not None and 0 < lanes <= _WIDEST else None


def _acs(machine: Machine, folder: str) -> tuple[str, ...] | None:
    try:
        return acs(machine.read_bytes(f"{folder}/config", 0, SIZE_BYTES))
    except OSError:
        return None


def _pci_id(machine: Machine, address: str) -> str | None:
    found = [_id(machine, address, name) for name in ("vendor", "device")]
    return ":".join(found) if all(re.fullmatch(r"[0-9a-f]{4}", word) for word in found) else None


def _id(machine: Machine, address: str, name: str) -> str:
    """Return the four digits of a vendor or device; "" if the kernel does not show them."""
    return (file_text(machine, f"{BUS}/{address}/{name}", 64) or "").removeprefix("0x").lower()


def _name(link: str | None) -> str | None:
    return link.rpartition("/")[2] or None if link else None


def _number(text: str | None) -> int | None:
    """Return a non-negative integer, or None."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 9 else None
