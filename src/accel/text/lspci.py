"""What one maker has on the bus, in what `lspci` prints.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
            Subsystem: …
            Kernel driver in use: cambricon-drv                    with -k or -v
            Kernel modules: cambricon_drv
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n, -mm, -k and -D.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from accel.text.amounts import pci_address
from accel.text.lines import line_at
from accel.text.pattern import pattern

_DRIVER: Final = pattern(r"(?mi)^[ \t]+Kernel driver in use:[ \t]*(\S+)")
_MODULES: Final = pattern(r"(?mi)^[ \t]+Kernel modules:[ \t]*\S")
_DETAILS: Final = pattern(
    r"(?:[ \t]+(?!(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] )\S[^\n]*\n)*"
    r"(?:[ \t]+(?!(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] )\S[^\n]*)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function.

    kind    its class, by name or as four hex digits
    pci_id  "cabc:0370"; None where ids are not printed
    driver  the kernel driver that holds it, "" if none does; None where the list does not tell drivers
    number  of its line in the text, from 1
    """

    address: str
    kind: str
    line: str
    number: int
    pci_id: str | None = None
    driver: str | None = None


def functions(text: str, maker: str, *vendor_ids: str) -> Iterator[Function]:
    """Yield the functions of the maker, by the begin of its name ("": by id alone) or by its ids.

    Each address comes once, in their order.
    """
    ids = "|".join(vendor_ids)
    named = rf"{re.escape(maker)}[^\n]*|" if maker else rf"[^\n]*\[(?:{ids}):[0-9a-f]{{4}}\][^\n]*|"
    form = pattern(
        r"(?m)^[ \t]*(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
        r"(?P<kind>[A-Z][^:\n]{3,60}|[0-9a-f]{4}):?[ \t\"]+"
        rf"(?:{named}(?:{ids}):[0-9a-f]{{4}}[^\n]*)$"
    )
    tells_drivers = bool(_DRIVER.search(text) or _MODULES.search(text))
    seen: set[str] = set()
    for found in form.finditer(text):
        address = pci_address(found["address"])
        if address is not None and address not in seen:
            seen.add(address)
            number = re.search(rf"\b(?:{ids}):[0-9a-f]{{4}}\b", found[0])
            yield Function(
                address=address,
                kind=found["kind"],
                line=found[0],
                number=line_at(text, found.start("address")),
                pci_id=number[0] if number else None,
                driver=_driver(text, found.end() + 1) if tells_drivers else None,
            )


def _driver(text: str, start: int) -> str | None:
    """Return the driver that the lines below a function name; None without such lines, and where they may be cut."""
    details = _DETAILS.match(text, start)
    if details is None or not details[0]:
        return None
    if found := _DRIVER.search(details[0]):
        return found[1]
    whole = _MODULES.search(details[0]) or details.end() < len(text)
    return "" if whole else None
