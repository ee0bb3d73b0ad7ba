"""Trees of sysfs in the shape that the kernel gives them, written as recorded machines from a short description."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.machine.recorded import RecordedMachine

BUS = "/sys/bus/pci/devices"
CARDS = "/sys/class/infiniband"


@dataclass
class Tree:
    """files, links and folders of one machine, as they are added; `machine` writes and opens it."""

    files: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    binaries: dict[str, bytes] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def function(
        self,
        path: Sequence[str],
        *,
        root: str,
        kind: str,
        pci_id: str,
        now: tuple[str, int] = ("32.0 GT/s PCIe", 16),
        best: tuple[str, int] = ("32.0 GT/s PCIe", 16),
        numa: int = 0,
        cpus: str = "0-47",
        driver: str | None = None,
        group: tuple[int, str] | None = None,
        acs: int | None = None,
        status: str = "active",
    ) -> None:
        """Add one function; path: the addresses from the root's port to it."""
        address = path[-1]
        folder = f"/sys/devices/{root}/{'/'.join(path)}"
        self.links[f"{BUS}/{address}"] = f"../../..{folder.removeprefix('/sys')}"
        vendor, device = pci_id.split(":")
        told = {
            "class": f"0x{kind}",
            "vendor": f"0x{vendor}",
            "device": f"0x{device}",
            "current_link_speed": now[0],
            "current_link_width": str(now[1]),
            "max_link_speed": best[0],
            "max_link_width": str(best[1]),
            "numa_node": str(numa),
            "local_cpulist": cpus,
            "power/runtime_status": status,
        }
        self.files |= {f"{folder}/{name}": f"{text}\n" for name, text in told.items()}
        if driver is not None:
            self.links[f"{folder}/driver"] = f"../../../../bus/pci/drivers/{driver}"
        if group is not None:
            self.links[f"{folder}/iommu_group"] = f"../../../../kernel/iommu_groups/{group[0]}"
            self.files[f"/sys/kernel/iommu_groups/{group[0]}/type"] = f"{group[1]}\n"
        if acs is not None:
            self.binaries[f"{folder}/config"] = space(vendor, device, acs)

    def card(self, name: str, address: str, number: int = 1, **told: Any) -> None:
        """Add a network card of one port; told: what its files say, beside the usual."""
        self.links[f"{CARDS}/{name}/device"] = f"../../../{address}"
        usual = {
            "hca_type": "MT4129",
            "fw_ver": "28.39.1002",
            f"ports/{number}/state": "4: ACTIVE",
            f"ports/{number}/phys_state": "5: LinkUp",
            f"ports/{number}/rate": "400 Gb/sec (4X NDR)",
            f"ports/{number}/link_layer": "InfiniBand",
            f"ports/{number}/counters/link_downed": "0",
            f"ports/{number}/counters/link_error_recovery": "0",
            f"ports/{number}/counters/symbol_error": "0",
            f"ports/{number}/counters/port_rcv_errors": "0",
            f"ports/{number}/gids/0": "fe80:0000:0000:0000:a088:c203:00ab:1234",
            f"ports/{number}/gids/1": "0000:0000:0000:0000:0000:0000:0000:0000",
            f"ports/{number}/gid_attrs/types/0": "IB/RoCE v1",
        }
        changed = {f"ports/{number}/{key}": value for key, value in told.items()}
        self.files |= {f"{CARDS}/{name}/{key}": f"{value}\n" for key, value in {**usual, **changed}.items()}

    def nodes(self, cpus: Mapping[int, str]) -> None:
        """Add the NUMA nodes with their processors."""
        for index, ranges in cpus.items():
            folder = f"/sys/devices/system/node/node{index}"
            self.files[f"{folder}/cpulist"] = f"{ranges}\n"
            self.files[f"{folder}/distance"] = " ".join("10" if n == index else "21" for n in cpus) + "\n"

    def module(self, *names: str) -> None:
        """Load kernel modules."""
        self.files |= {f"/sys/module/{name}/refcnt": "0\n" for name in names}

    def machine(self, folder: Path) -> RecordedMachine:
        for path, data in self.binaries.items():
            file = folder / "files" / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        document = {"system": "linux", **self.more, "files": self.files, "links": self.links}
        (folder / "machine.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return RecordedMachine(folder)

    def two_switches(self, *, acs: int | None = 0, numa: tuple[int, int] = (0, 1)) -> None:
        """Add four H100 and two ConnectX-7 below two PCIe switches, one a socket: each switch two GPUs and a card."""
        for side in (0, 1):
            root, bus = f"pci0000:{0x10 + side * 0x80:02x}", 0x10 + side * 0x80
            port, up = f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0"
            common: dict[str, Any] = {"root": root, "numa": numa[side], "cpus": ("0-47", "48-95")[side]}
            bridge: dict[str, Any] = {"kind": "060400", "driver": "pcieport", "acs": acs, **common}
            self.function([port], pci_id="8086:352a", **bridge)
            self.function([port, up], pci_id="1000:c030", **bridge)
            for slot, (pci_id, kind, driver) in enumerate(_BEHIND_A_SWITCH):
                down, end = f"0000:{bus + 2:02x}:{slot:02x}.0", f"0000:{bus + 3 + slot:02x}:00.0"
                self.function([port, up, down], pci_id="1000:c030", **bridge)
                self.function([port, up, down, end], kind=kind, pci_id=pci_id, driver=driver, **common)
            self.card(f"mlx5_{side}", f"0000:{bus + 5:02x}:00.0")
        self.nodes({0: "0-47", 1: "48-95"})


_BEHIND_A_SWITCH = (
    ("10de:2330", "030200", "nvidia"),
    ("10de:2330", "030200", "nvidia"),
    ("15b3:1021", "020700", "mlx5_core"),
)


@pytest.fixture
def tree() -> Tree:
    return Tree()


def space(vendor: str, device: str, control: int, size: int = 4096) -> bytes:
    """Return a port's configuration space: advanced error reporting first, then access control with these bits."""
    data = bytearray(size)
    data[0:4] = int(vendor, 16).to_bytes(2, "little") + int(device, 16).to_bytes(2, "little")
    if size > 0x150:
        data[0x100:0x104] = (0x0001 | 2 << 16 | 0x148 << 20).to_bytes(4, "little")
        data[0x148:0x14C] = (0x000D | 1 << 16).to_bytes(4, "little")
        data[0x14C:0x14E] = (0x005F).to_bytes(2, "little")
        data[0x14E:0x150] = control.to_bytes(2, "little")
    return bytes(data)
