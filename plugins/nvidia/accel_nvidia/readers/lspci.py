"""NVIDIA's boards in the PCI device lists of lspci and lshw.

    3b:00.0 3D controller: NVIDIA Corporation TU104GL [Tesla T4] (rev a1)
    01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GP104 [GeForce GTX 1070] [10de:1b81] (rev a1)   -nn
    0000:65:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)                  the list of names is older
    01:00.0 0300: 10de:2684 (rev a1)                                                     -n

    *-display                                                                            lshw
         product: TU104GL [Tesla T4]
         vendor: NVIDIA Corporation
         bus info: pci@0000:00:1e.0

    b3:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev ff)     it no longer responds
        Control: … / !!! Unknown header type 7f                                         the same, with -v

A function whose registers all read as ones is lost: gpu-off-bus (pci). A laptop's chip may just be switched off.
Audio, USB and serial functions, NVSwitches and virtual functions are not GPUs. The index is the position by address,
which is also the order of nvidia-smi, unless the text has nvidia-smi's own.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

from accel.text.amounts import pci_address
from accel.text.lines import line_at
from accel.text.lspci import damaged, numbered
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of
from accel_nvidia.found import full_name, gpu, reading
from accel_nvidia.placing import listed
from accel_nvidia.readers.device_properties import listing_readers

SOURCE: Final = "lspci"
TRUST: Final = 35
_ADDRESS: Final = r"((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.0)"
_NAMED: Final = pattern(
    rf"(?mi)^[ \t|]*{_ADDRESS} (?:VGA compatible controller|3D controller|Display controller)"
    r"(?: \[[^\]\n]{0,20}\])?: NVIDIA Corporation (.*)$"
)
_NUMBERS: Final = pattern(rf"(?mi)^[ \t]*{_ADDRESS} 03(?:00|02|80): (10de:[0-9a-f]{{4}})\b")
_OURS: Final = pattern(r"NVIDIA Corporation|\b10de:")
_CLASSES: Final = ("VGA compatible controller", "3D controller", "Display controller")
_LSHW: Final = pattern(r"(?m)^([ \t]*)\*-display.*\n((?:[ \t]+(?!\*-)\S.*\n){0,40}(?:[ \t]+(?!\*-)\S.*)?)")

_PRODUCT: Final = pattern(r"(?m)^[ \t]*product: ((?:G[A-Z]|TU|AD|GV)\d{2,3}\w* \[[^\]\n]+\].*)$")
_SILENT: Final = pattern(
    rf"(?mi)^[ \t|]*{_ADDRESS} (?:(?:VGA compatible controller|3D controller|Display controller)"
    r"(?: \[[^\]\n]{0,20}\])?: NVIDIA Corporation |03(?:00|02|80): 10de:)[^\n]{0,200}"
    r"(?:\(rev ff\)|(?:\n[ \t]+\S[^\n]{0,200}){0,2}\n[ \t]+!!! Unknown header type)"
)
_MOBILE: Final = pattern(r"(?i)\bmobile\b|max-q|laptop|\d\dG?L?M\b")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all boards."""
    boards: dict[str, dict[str, Any]] = {}
    lines: list[int] = []
    listing: dict[str, int] = {}
    for found in _NAMED.finditer(text):
        address = pci_address(found[1])
        if address:
            boards.setdefault(address, {}).update(_described(found[2]))
            lines.append(listing.setdefault(address, line_at(text, found.start())))
    for found in _NUMBERS.finditer(text):
        address = pci_address(found[1])
        if address:
            boards.setdefault(address, {})["pci_id"] = found[2].lower()
            lines.append(line_at(text, found.start()))
    for found in _LSHW.finditer(text):
        bus = re.search(r"bus info: pci@([0-9a-fA-F:.]+)", found[2])
        product = re.search(r"product: (.+)", found[2])
        address = pci_address(bus[1]) if bus else None
        if address and re.search(r"vendor: NVIDIA", found[2]):
            boards.setdefault(address, {}).update(_described(product[1]) if product else {})
            lines.append(line_at(text, found.start()))
    if not boards:
        # A truncated lshw block: the chip's name precedes the board's.
        for place, found in enumerate(_PRODUCT.finditer(text)):
            at = line_at(text, found.start())
            yield reading(SOURCE, TRUST, devices=[gpu(place, **_described(found[1]))], lines=(at, at))
    if boards:
        silent = {pci_address(hit[1]): hit for hit in _SILENT.finditer(text)}
        named = listed(text, listing_readers())
        known = {d.pci_address: d.index for d in named if d.pci_address is not None}
        unread = damaged(text, _OURS, _CLASSES, lines)
        if not known and unread and set(listing) == set(boards):
            index = dict(zip(listing, numbered(list(listing.values()), unread), strict=True))
        else:  # responding ones in nvidia-smi's order, before those that it cannot list
            index = _indices(sorted(boards, key=lambda address: (address in silent, address)), known)
        devices = [gpu(index[address], pci_address=address, **facts) for address, facts in sorted(boards.items())]
        yield reading(SOURCE, TRUST, devices=devices, lines=(min(lines), max(lines)))
        lost = ((pci, hit) for pci, hit in silent.items() if not _MOBILE.search(hit[0]))
        yield from reading_of(SOURCE, (noted_at("gpu-off-bus", hit, SOURCE, pci=pci) for pci, hit in lost))


def _indices(addresses: list[str], known: Mapping[str, int]) -> dict[str, int]:
    """Return nvidia-smi's index of each address; boards that it does not list get the lowest free numbers."""
    taken = set(known.values())
    free = (number for number in count() if number not in taken)
    return {address: known[address] if address in known else next(free) for address in addresses}


def _described(words: str) -> dict[str, Any]:
    """Return name and pci_id of "TU104GL [Tesla T4] [10de:1eb8] (rev a1)"; the first of two names in one bracket."""
    facts: dict[str, Any] = {}
    numbers = re.search(r"\[(10de:[0-9a-fA-F]{4})\]", words)
    bare = re.match(r"(?i)Device ([0-9a-f]{4})\b", words)
    if numbers:
        facts["pci_id"] = numbers[1].lower()
    elif bare:
        facts["pci_id"] = f"10de:{bare[1]}"
    brackets = [
        b for b in re.findall(r"\[([^\]]+)\]", words) if not re.fullmatch(r"[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4})?", b)
    ]
    if brackets:
        facts["name"] = full_name(brackets[0].split(" / ")[0])
    return facts


READER: Final = Reader(name=SOURCE, signs=("NVIDIA Corporation", ": 10de:", "product: "), read=read)
