"""Find one maker's PCI functions in the output of `lspci`.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
            Subsystem: …
            Kernel driver in use: cambricon-drv                    with -k or -v
            Kernel modules: cambricon_drv
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n, -mm, -k and -D.
"""

import re
from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.amounts import pci_address
from accel.text.lines import line_at, lines_of
from accel.text.pattern import Pattern, pattern

_DRIVER: Final = pattern(r"(?mi)^[ \t]+Kernel driver in use:[ \t]*(\S+)")
_MODULES: Final = pattern(r"(?mi)^[ \t]+Kernel modules:[ \t]*\S")
_ADDRESS: Final = pattern(r"[ \t|]*(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7][ \t\"]")
_IDS: Final = pattern(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b")
_SAYS_NOTHING: Final = pattern(r"Device|\(rev \w\w\)|N/?A|ERR!|[\W\d_]")
_CLASSES: Final = (
    "processing accelerators",
    "vga compatible controller",
    "3d controller",
    "display controller",
    "co-processor",
)
_FORE: Final = 24  # maximum characters before the class
_DETAILS: Final = pattern(
    r"(?:[ \t]+(?!(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] )\S[^\n]*\n)*"
    r"(?:[ \t]+(?!(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] )\S[^\n]*)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One PCI function.

    kind    its class, by name or as four hex digits
    pci_id  "cabc:0370"; None if the list prints no ids
    driver  the kernel driver in use, "" if there is none; None if the list does not show drivers
    number  line number in the text, from 1
    """

    address: str
    kind: str
    line: str
    number: int
    pci_id: str | None = None
    driver: str | None = None


def functions(text: str, maker: str, *vendor_ids: str) -> Iterator[Function]:
    """Yield a maker's functions, found by a prefix of its name ("": by id only) or by its ids.

    Each address occurs once, in the order of the list.
    """
    ids = "|".join(vendor_ids)
    named = rf"{re.escape(maker)}[^\n]*|" if maker else rf"[^\n]*\[(?:{ids}):[0-9a-f]{{4}}\][^\n]*|"
    form = pattern(
        r"(?m)^[ \t]*(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
        r"(?P<kind>[A-Z][^:\n]{3,60}|[0-9a-f]{4}|[^\s:]{0,24}):?[ \t\"]+"
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


def damaged(
    text: str,
    ours: Pattern,
    kinds: Collection[str],
    read: Collection[int],
    is_board: Callable[[str], bool] = lambda said: True,
) -> list[int]:
    """Return the lines that may be one maker's boards, but whose address or maker is unreadable.

    ours      a pattern for the maker's name and its ids
    kinds     the classes of its boards: "Processing accelerators [1200]"
    read      the lines that were read successfully
    is_board  returns whether the text after the class, including the maker's name, may be a board
    """
    if not kinds:
        return []
    classes = {*_CLASSES, *(name for kind in kinds if (name := kind.partition("[")[0].strip(' "').lower()))}
    lines: list[int] = []
    for number, line in lines_of(text):
        place = next((at for name in classes if 0 <= (at := line.lower().find(name)) <= _FORE), None)
        if place is None or number in read:
            continue
        _, _, rest = line[place:].partition(":")
        named = ours.search(rest)
        nameless = not _IDS.search(rest) and not _SAYS_NOTHING.sub("", ours.sub("", rest) if named else rest)
        if (rest and nameless) or (named and not _ADDRESS.match(line) and is_board(rest)):
            lines.append(number)
    return lines


def numbered(lines: Sequence[int], damaged: Sequence[int]) -> list[int]:
    """Return an index for each board by its line, leaving gaps for boards on damaged lines."""
    return [place + bisect(damaged, line) for place, line in enumerate(lines)]


def _driver(text: str, start: int) -> str | None:
    """Return the driver named in the lines below a function; None if they are missing or truncated."""
    details = _DETAILS.match(text, start)
    if details is None or not details[0]:
        return None
    if found := _DRIVER.search(details[0]):
        return found[1]
    whole = _MODULES.search(details[0]) or details.end() < len(text)
    return "" if whole else None
