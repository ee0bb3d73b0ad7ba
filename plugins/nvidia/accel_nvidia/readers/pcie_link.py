"""PCIe links from lspci and the kernel: their current and maximum speed and width.

    nvidia 0000:41:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:40:01.0
        (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)
    pci 0000:41:00.0: [10de:20b5] type 00 class 0x030200       the bus's own line: the vendor and device
    LnkCap: Port #0, Speed 16GT/s, Width x16, ASPM L1
    LnkSta: Speed 2.5GT/s (downgraded), Width x8 (downgraded)

Seen    kernels 4.17 to 6.14; pciutils 3.5 to 3.13. A message may be wrapped.
Notes   pcie-link (pci, gpu: "yes", "no" or absent; speed, width, speed_most, width_most), pcie-bandwidth (pci, driver,
        port, now, most)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, noted_at, reading_of

SOURCE: Final = "PCIe links"
_ADDRESS: Final = r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]"
_BOOT: Final = pattern(
    rf"(?:\b(\w[\w-]{{1,20}})\s+({_ADDRESS}):\s+)?[\d.]+\s+Gb/s\s+available\s+PCIe\s+bandwidth,\s+limited\s+by\s+"
    rf"([\d.]+\s+GT/s)(?:\s+PCIe)?\s+(x\d{{1,2}})\s+link\s+at\s+({_ADDRESS})"
    r"(?:\s+\(capable\s+of\s+[\d.]+\s+Gb/s\s+with\s+([\d.]+\s+GT/s)(?:\s+PCIe)?\s+(x\d{1,2})\s+link\))?",
    re.IGNORECASE,
)
_FOUND: Final = pattern(rf"\bpci\s+({_ADDRESS}):\s+\[10de:[0-9A-Fa-f]{{4}}\]", re.IGNORECASE)
_HEAD: Final = pattern(
    r"^\s*((?:[0-9A-Fa-f]{4}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s+(?:\"?[A-Z][^:\n]{3,60}|[0-9a-f]{4})"
)
_CAP: Final = pattern(r"\bLnkCap:[^\n]{0,200}?Speed ([\d.]+) ?GT/s[^\n]{0,200}?Width x(\d{1,2})", re.IGNORECASE)
_STA: Final = pattern(
    r"\bLnkSta:[^\n]{0,200}?Speed ([\d.]+) ?GT/s(?: ?\((\w+)\))?[^\n]{0,200}?Width x(\d{1,2})(?: ?\((\w+)\))?",
    re.IGNORECASE,
)
_OTHER: Final = pattern(
    r"\b(?:PCI bridge|Ethernet|Non-Volatile|Network|USB|SATA|Audio|Infiniband|Raid)\b", re.IGNORECASE
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the links of the text."""
    found = list(_boot_messages(text))
    head: re.Match[str] | None = None
    head_line = ""
    cap: re.Match[str] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 500:
            continue
        if hit := _HEAD.match(line):
            head, head_line, cap = hit, line, None
        elif hit := _CAP.search(line):
            cap = hit
        elif hit := _STA.search(line):
            yes = "nvidia" in head_line.lower() or "10de:" in head_line.lower()
            values = {
                "pci": pci_address(head[1]) if head else None,
                "gpu": ("yes" if yes else "no" if _OTHER.search(head_line) else None) if head else None,
                "speed": hit[1],
                "width": hit[3],
                "speed_most": cap[1] if cap else None,
                "width_most": cap[2] if cap else None,
                "narrow": "yes" if (hit[4] or "").lower() == "downgraded" else None,
            }
            found.append(noted("pcie-link", line, SOURCE, number, **values))
            cap = None
    yield from reading_of(SOURCE, found)


def _boot_messages(text: str) -> Iterator[Noted]:
    nvidia = {hit[1].lower() for hit in _FOUND.finditer(text)}
    for hit in _BOOT.finditer(text):
        yield noted_at(
            "pcie-bandwidth",
            hit,
            SOURCE,
            driver="nvidia" if (hit[2] or "").lower() in nvidia else hit[1].lower() if hit[1] else None,
            pci=pci_address(hit[2]),
            now=f"{hit[3]} {hit[4]}",
            port=pci_address(hit[5]),
            most=f"{hit[6]} {hit[7]}" if hit[6] else None,
        )


READER: Final = Reader(name=SOURCE, signs=("LnkSta", "available PCIe bandwidth", "available\nPCIe"), read=read)
