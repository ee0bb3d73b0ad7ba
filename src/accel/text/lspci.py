"""What one maker has on the bus, in what `lspci` prints.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n, -mm and -D.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from accel.text.amounts import pci_address
from accel.text.pattern import pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One line. kind: its class, by name or as four hex digits; pci_id: "cabc:0370", None where ids are not printed."""

    address: str
    kind: str
    line: str
    pci_id: str | None = None


def functions(text: str, maker: str, vendor_id: str) -> Iterator[Function]:
    """Yield the functions of the maker, by the begin of its name or by its id; each address once, in their order."""
    form = pattern(
        r"(?m)^\s*(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
        r"(?P<kind>[A-Z][^:\n]{3,60}|[0-9a-f]{4}):?[ \t\"]+"
        rf"(?:{re.escape(maker)}[^\n]*|{vendor_id}:[0-9a-f]{{4}}[^\n]*)$"
    )
    seen: set[str] = set()
    for found in form.finditer(text):
        address = pci_address(found["address"])
        if address is not None and address not in seen:
            seen.add(address)
            number = re.search(rf"\b{vendor_id}:[0-9a-f]{{4}}\b", found[0])
            yield Function(address=address, kind=found["kind"], line=found[0], pci_id=number[0] if number else None)
