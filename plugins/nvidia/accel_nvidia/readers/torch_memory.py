"""PyTorch's message for a failed allocation, with all figures, and its snapshots of cached memory.

    Tried to allocate 22.78 GiB. GPU 0 has a total capacity of 31.47 GiB of which 12.73 GiB is free. Process 12 has
    20.03 GiB memory in use. Including non-PyTorch memory, this process has 18.73 GiB memory in use. Of the allocated
    memory 9.08 GiB is allocated by PyTorch, and 9.35 GiB is reserved by PyTorch but unallocated.
    Tried to allocate 20.00 MiB (GPU 0; 23.70 GiB total capacity; 1.20 GiB already allocated; 12.00 MiB free;
    1.30 GiB reserved in total by PyTorch)
    {'active_size': 499214336, 'address': 139624890499072, …, 'total_size': 11643387904}

Seen    torch 0.4 to 2.9 ("capacty", "cached", "private pools"). The message may be wrapped, or truncated at its end.
        Older ones do not count the process's context and libraries: "own" is then not known.
Notes   torch-oom (gpu, tried, total, free, own, allocated, unallocated, others: "pid:bytes …"), all in bytes;
        torch-segment (total, active) of a partly used cached segment
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

SOURCE: Final = "PyTorch's memory"
_AMOUNT: Final = r"([\d.]+)\s+([KMGT]?i?B|bytes)\b"
_TRIED: Final = pattern(rf"Tried\s+to\s+allocate\s+(?:more\s+than\s+)?{_AMOUNT}", re.IGNORECASE)
_TOTAL: Final = pattern(
    rf"GPU\s+(\d{{1,2}})\s+has\s+a\s+total\s+capaci?ty\s+of\s+{_AMOUNT}\s+of\s+which\s+{_AMOUNT}\s+is\s+free",
    re.IGNORECASE,
)
_OLD: Final = pattern(
    rf"GPU\s+(\d{{1,2}});\s+{_AMOUNT}\s+total\s+capacity;\s+{_AMOUNT}\s+already\s+allocated;\s+{_AMOUNT}\s+free"
    rf"(?:;\s+{_AMOUNT}\s+(?:reserved\s+in\s+total\s+by\s+PyTorch|cached))?",
    re.IGNORECASE,
)
_PROCESS: Final = pattern(rf"\bProcess\s+(\d{{1,8}})\s+has\s+{_AMOUNT}\s+memory\s+in\s+use", re.IGNORECASE)
_OWN: Final = pattern(rf"this\s+process\s+has\s+{_AMOUNT}\s+memory\s+in\s+use", re.IGNORECASE)
_ALLOCATED: Final = pattern(
    rf"Of\s+the\s+allocated\s+memory\s+{_AMOUNT}\s+is\s+allocated\s+by\s+PyTorch", re.IGNORECASE
)
_UNALLOCATED: Final = pattern(rf"{_AMOUNT}\s+is\s+reserved\s+by\s+PyTorch\s+but\s+unallocated", re.IGNORECASE)
_SCALE: Final = {"bytes": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_SCALE_OLD: Final = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_ACTIVE: Final = pattern(r"'active_size':\s*(\d{1,15})")
_ADDRESS: Final = pattern(r"'address':\s*(\d{1,20})")
_SEGMENT: Final = pattern(r"'total_size':\s*(\d{1,15})")
_REACH: Final = 2500  # characters that belong to one message
_MOST: Final = 50


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the messages and the segments of the text."""
    found: list[Noted] = []
    hits = list(_TRIED.finditer(text))[:_MOST]
    for place, hit in enumerate(hits):
        end = hits[place + 1].start() if place + 1 < len(hits) else len(text)
        values = _values(text[hit.start() : min(hit.start() + _REACH, end)])
        if "total" in values:
            found.append(noted_at("torch-oom", hit, SOURCE, **values))
    yield from reading_of(SOURCE, (*found, *_segments(text)))


def _values(message: str) -> dict[str, str]:
    tried = _TRIED.match(message)
    values: dict[str, int | None] = {"tried": _bytes(tried[1], tried[2]) if tried else None}
    if old := _OLD.search(message):
        names = ("total", "allocated", "free", "reserved")
        values["gpu"] = int(old[1])
        values |= {
            name: _bytes(old[2 + 2 * at], old[3 + 2 * at])
            for at, name in enumerate(names)
            if old[2 + 2 * at] is not None
        }
        reserved, allocated = values.pop("reserved", None), values.get("allocated")
        if reserved is not None and allocated is not None:  # torch before 1.4 counts what it cached besides
            values["unallocated"] = reserved - allocated if reserved >= allocated else reserved
    elif new := _TOTAL.search(message):
        values |= {"gpu": int(new[1]), "total": _bytes(new[2], new[3]), "free": _bytes(new[4], new[5])}
        for name, form in (("own", _OWN), ("allocated", _ALLOCATED), ("unallocated", _UNALLOCATED)):
            if hit := form.search(message):
                values[name] = _bytes(hit[1], hit[2])
    told = {key: str(value) for key, value in values.items() if value is not None}
    sizes = [(hit[1], _bytes(hit[2], hit[3])) for hit in _PROCESS.finditer(message)]
    others = [f"{pid}:{size}" for pid, size in sizes if size is not None]
    return {**told, "others": " ".join(others)} if others else told


def _segments(text: str) -> Iterator[Noted]:
    """Yield a snapshot's partly used segments; of a repeated address the last, with a size from any occurrence."""
    sizes: dict[str, int] = {}
    active: dict[str, tuple[int, re.Match[str]]] = {}
    for hit in _ADDRESS.finditer(text):
        around = text[max(0, hit.start() - 120) : hit.start()]
        before = list(_ACTIVE.finditer(around))
        if before:
            active[hit[1]] = (int(before[-1][1]), hit)
        rest = text[hit.end() : hit.end() + 20000]
        after, following = _SEGMENT.search(rest), _ADDRESS.search(rest)
        if after and (following is None or after.start() < following.start()):
            sizes[hit[1]] = int(after[1])
    for address, (used, hit) in list(active.items())[:_MOST]:
        if address in sizes and 0 < used < sizes[address]:
            yield noted_at("torch-segment", hit, SOURCE, total=str(sizes[address]), active=str(used))


def _bytes(number: str, unit: str) -> int | None:
    scale = {**_SCALE, **_SCALE_OLD}.get(unit.lower())
    try:
        return int(float(number) * scale) if scale else None
    except (OverflowError, ValueError):
        return None


READER: Final = Reader(
    name=SOURCE, signs=("Tried to", "'active_size'", "reserved by PyTorch", "total capacity"), read=read
)
