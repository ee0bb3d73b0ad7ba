"""Misspelt NCCL variables, which have no effect: "NCCL_SOCKET_IFNAMES=eth0", "NCCL_P2P_DISABLED=1".

Seen    as shells, launchers, container options, Python's os.environ and job files write them.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from accel.specs import load
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

SOURCE: Final = "NCCL variables"
_SET: Final = pattern(
    r"(?P<name>\bN(?:CCL|CLL|LCC)_[A-Z0-9_]{3,60})(?=[\"']?\]?\s{0,2}[=:]\s{0,2}[\"']?[\w./^-]|\s{1,3}(?:set|is set)\b)"
)
_MOST: Final = 20
_MOST_NAMES: Final = 150  # limit of checked variables: NCCL has this many, and no report sets more


def read(text: str) -> Iterator[Reading]:
    """Yield one reading for each misspelt name."""
    found: set[str] = set()
    seen: set[str] = set()
    for match in _SET.finditer(text):
        name = match["name"]
        if name in seen:
            continue
        seen.add(name)
        meant = nearly(name) if len(seen) <= _MOST_NAMES else None
        if meant is None or len(found) >= _MOST:
            continue
        found.add(name)
        yield from reading_of(SOURCE, [noted_at("variable-misspelt", match, SOURCE, name=name, meant=meant)])


def nearly(name: str) -> str | None:
    """Return the variable that a name is a misspelling of; None if it is one, or is not similar to any.

    >>> nearly("NCCL_SOCKET_IFNAMES"), nearly("NCCL_P2P_DISABLE"), nearly("NCCL_MY_OWN_THING")
    ('NCCL_SOCKET_IFNAME', None, None)
    """
    known, others = _known()
    if name in known or name in others:
        return None
    most = 1 if len(name) < 14 else 2
    near = [(distance, other) for other in known if (distance := _distance(name, other, most)) <= most]
    return min(near)[1] if near else None


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    table = load().table("nvidia/nccl_variables") or {}
    return frozenset(table.get("names", ())), frozenset(table.get("others", ()))


def _distance(one: str, other: str, most: int) -> int:
    """Return the edit distance (insert, delete, replace, swap); `most` + 1 if it is larger than `most`."""
    far = most + 1
    if abs(len(one) - len(other)) > most:
        return far
    width = len(other) + 1
    previous, before = [far] * width, [far] * width
    row = [min(j, far) for j in range(width)]
    for i, letter in enumerate(one, 1):
        first, last = max(1, i - most), min(width - 1, i + most)  # letters further away cost more than `most`
        previous, before, row = before, row, [far] * width
        row[0] = min(i, far)
        for j in range(first, last + 1):
            wanted = other[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted), far)
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, previous[j - 2] + 1)
            row[j] = cost
        if min(row) == far and min(before) == far:
            return far
    return row[-1]


READER: Final = Reader(name=SOURCE, signs=("NCCL_", "NCLL_", "NLCC_"), read=read)
