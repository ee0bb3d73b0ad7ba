"""Fragments of `nvidia-smi -q` without the line that starts a GPU: cut out by grep or by hand.

    $ nvidia-smi -q -i 2 | grep -A4 "Remapped Rows"
        Remapped Rows
            Correctable Error             : 0
            Pending                       : Yes

Seen    drivers 340 to 610. The headings say what "Pending" or "Current" refers to: without one, it is ignored.
        A repeated heading or line starts the next GPU; the index is from -i, else the position in the list.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import gpu, reading
from accel_nvidia.query_facts import facts

SOURCE: Final = "nvidia-smi -q, in part"
TRUST: Final = 52
_WHOLE: Final = pattern(
    r"NVSMI LOG|^[ \t]{0,40}GPU (?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7][ \t]{0,40}$", re.MULTILINE
)
_LOG: Final = pattern(r"^[ \t]*=+[ \t]*(?!NVSMI)[A-Z][\w -]{0,60}LOG\s*=+|^[ \t]*Attached \w+\s*:", re.MULTILINE)
_PAIR: Final = pattern(r"^(\s*)([A-Za-z][\w ./()-]{1,48}?)\s*:\s+(\S.{0,80}?)\s*$")
_TITLE: Final = pattern(r"^(\s{0,80})([A-Za-z][\w ()-]{2,40}?)\s{0,80}:?\s{0,80}$")
_JOINT: Final = pattern(
    r"\s{1,3}[/|;]\s{1,3}(?=[A-Z][\w ]{2,40}:)|(?<=\w)[,;]\s{1,3}(?=[A-Z][\w ]{2,40}:)", exact_case=True
)
_LONGEST_LINE: Final = 400
_INDEX: Final = pattern(r"nvidia-smi\b[^\n|]*?\s(?:-i|--id)[= ]\s?(\d{1,2})\b")
_TOP: Final = {
    name.lower(): name
    for name in (
        *("ECC Errors", "Remapped Rows", "Retired Pages", "Temperature", "Power Readings", "GPU Power Readings"),
        *("Clocks Throttle Reasons", "Clocks Event Reasons", "FB Memory Usage", "Utilization", "ECC Mode", "MIG Mode"),
        *("Fabric", "GPU Link Info", "Clocks", "Max Clocks"),
    )
}
_INNER: Final = {
    name.lower(): name
    for name in (
        *("Volatile", "Aggregate", "Single Bit", "Double Bit", "PCIe Generation", "Link Width", "HW Slowdown"),
        "Bank Remap Availability Histogram",
    )
}
_PERIODS: Final = ("volatile", "aggregate")  # of nothing but the ECC counters
_ALONE: Final = {
    name.lower(): name for name in ("Persistence Mode", "Compute Mode", "Performance State", "GPU Recovery Action")
} | {
    name.lower(): f"GPU Power Readings/{name}"
    for name in ("Current Power Limit", "Requested Power Limit", "Default Power Limit", "Max Power Limit")
}
_ALONE["enforced power limit"] = "Power Readings/Enforced Power Limit"  # older drivers' name of the current one
_UNDER: Final = {"GPU Link Info": "PCI/GPU Link Info"}


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with one device per fragment."""
    if _WHOLE.search(text) or _LOG.search(text):
        return
    blocks: list[dict[str, str]] = []
    first = last = 0
    top: tuple[int, str] | None = None
    inner: tuple[int, str] | None = None
    parts = ((number, part) for number, line in enumerate(text.split("\n"), 1) for part in _labels_of(line))
    for number, line in parts:
        pair = _PAIR.match(line)
        title = None if pair else _TITLE.match(line)
        name = (pair or title)[2].lower() if pair or title else ""  # type: ignore[index]
        depth = len((pair or title)[1].expandtabs(4)) if pair or title else 0  # type: ignore[index]
        if title and name in _TOP:
            top, inner = (depth, _TOP[name]), None
            first = first or number
        elif title and not top and name in _PERIODS:
            top, inner = (depth - 1, "ECC Errors"), (depth, _INNER[name])
            first = first or number
        elif title and top and name in _INNER:
            inner = (depth, _INNER[name])
        elif pair and top and (depth > top[0] or depth == 0 or name in _INNER):
            if inner and depth <= inner[0] and depth != 0:
                inner = None
            key = "/".join([_UNDER.get(top[1], top[1]), *([inner[1]] if inner else []), _spelt(pair[2])])
            _put(blocks, key, pair[3])
            if name == "hw slowdown":
                inner = (depth, "HW Slowdown")
            last = number
        elif pair and name in _ALONE:
            _put(blocks, _ALONE[name], pair[3])
            first, last, top = first or number, number, None
        elif not (title and top):
            top = None
    if blocks:
        index = _INDEX.search(text)
        start = int(index[1]) if index and len(blocks) == 1 else 0
        known = [(start + place, facts(block, "text")) for place, block in enumerate(blocks)]
        devices = [gpu(place, **found) for place, found in known if found]
        if devices:
            yield reading(SOURCE, TRUST, devices=devices, lines=(first or last, last))


def _labels_of(line: str) -> list[str]:
    """Return a line, or the several labels joined into one: "Power Draw : 99 W / Default …"."""
    return _JOINT.split(line) if line.count(":") > 1 and len(line) < _LONGEST_LINE else [line]


def _spelt(name: str) -> str:
    """Return a label in nvidia-smi's spelling, whatever its case in the text."""
    return _LABELS.get(name.lower(), name)


def _put(blocks: list[dict[str, str]], key: str, value: str) -> None:
    """Store a value; one that is already present starts the next GPU."""
    if not blocks or key in blocks[-1]:
        blocks.append({})
    blocks[-1][key] = value


def _all_labels() -> dict[str, str]:
    from accel_nvidia.query_ecc import ecc_names
    from accel_nvidia.query_facts import FACTS

    names = [path for fact in FACTS for path in fact.text]
    names += [name for name in ecc_names("text") if name.rsplit("/", 1)[-1].startswith(("sram", "dram", "total"))]
    reasons = [
        *("Idle", "Applications Clocks Setting", "SW Power Cap", "HW Slowdown", "HW Thermal Slowdown"),
        *("HW Power Brake Slowdown", "Sync Boost", "SW Thermal Slowdown", "Display Clock Setting"),
    ]
    return {name.rsplit("/", 1)[-1].lower(): name.rsplit("/", 1)[-1] for name in names} | {
        name.lower(): name for name in reasons
    }


_LABELS: Final = _all_labels()
READER: Final = Reader(
    name=SOURCE,
    signs=(
        *("ECC Errors", "Remapped Rows", "Retired Pages", "Throttle Reasons", "Event Reasons", "Power Readings"),
        *("GPU Link Info", "Persistence Mode", "Temperature", "Recovery Action", "SRAM ", "DRAM ", "Power Limit"),
    ),
    read=read,
)
