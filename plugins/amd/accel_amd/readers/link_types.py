"""How the GPUs are joined, as `rocm-smi --showtopo` and `amd-smi topology` print it.

    ======================= Link Type between two GPUs =======================
           GPU0         GPU1
    GPU0   0            XGMI
    GPU1   XGMI         0

    LINK TYPE TABLE:
                 0000:0c:00.0 0000:22:00.0
    0000:0c:00.0 SELF         XGMI
    0000:22:00.0 XGMI         SELF

Seen   forms of ROCm 5 to 7, from their source; other tables of the same outputs (weight, hops, NUMA) are passed over.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.model.wiring import Link
from accel.text.amounts import pci_address
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel_amd.model import AmdDevice
from accel_amd.record import BACKEND, gpu

SOURCE: Final = "link types"
_TITLE: Final = pattern(r"link type (?:between two GPUs|table)")
_NAME: Final = pattern(r"GPU(\d{1,3})|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_WORD: Final = pattern(r"0|SELF|XGMI|PCIE")
_SELF: Final = ("0", "SELF")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs of the table, by their places in it, and their links."""
    names: list[str] = []
    rows: dict[str, list[str]] = {}
    lines: list[int] = []
    waits = False
    for number, line in lines_of(text):
        words = line.split()
        if _TITLE.search(line):
            waits = True
        elif waits and words and all(_NAME.fullmatch(word) for word in words):
            names, waits = words, False
            lines.append(number)
        elif names and len(words) == len(names) + 1 and words[0] in names:
            if all(_WORD.fullmatch(word) for word in words[1:]) and words[1 + names.index(words[0])].upper() in _SELF:
                rows.setdefault(words[0], words[1:])
                lines.append(number)
        elif words and names:
            break
    if rows:
        yield _reading(names, rows, lines)


def _reading(names: list[str], rows: dict[str, list[str]], lines: list[int]) -> Reading:
    devices = tuple(_device(place, name) for place, name in enumerate(names))
    ids = dict(zip(names, (device.id for device in devices), strict=True))
    links: dict[frozenset[str], Link] = {}
    for row, cells in rows.items():
        for column, cell in zip(names, cells, strict=True):
            if row != column and cell.upper() not in _SELF:
                pair = frozenset((row, column))
                links.setdefault(pair, Link(one=ids[row], other=ids[column], path=cell.upper()))
    report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=devices, links=tuple(links.values()))
    return Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


def _device(place: int, name: str) -> AmdDevice:
    found = _NAME.fullmatch(name)
    number = int(found[1]) if found is not None and found[1] else None
    return gpu(place if number is None else number, None, pci_address=None if number is not None else pci_address(name))


READER: Final = Reader(name=SOURCE, signs=("link type",), read=read)
