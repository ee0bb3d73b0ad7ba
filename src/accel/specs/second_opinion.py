"""Figures in the records that differ from another published table of the same products.

The table is refresh/second_opinion.yaml of a checkout: facts with their sources, used in no answer.

rows      chip, vendor; memory_bytes, bandwidth and so on by the names below: a figure, or the lowest and highest
accepted  field, chips, and why their records are right although the table differs
"""

import os
import re
from collections.abc import Iterator
from typing import Any, Final

from accel.specs.outlier_lines import near
from accel.specs.store import parse, user_folder

TABLE: Final = ("refresh", "second_opinion.yaml")
_SHARE: Final = 0.05
_DAYS: Final = 62  # announced one day and sold another
_FIELDS: Final = {  # of a row; of a record
    "fp32": "dense_operations_per_second.fp32",
    "fp64": "dense_operations_per_second.fp64",
    "bandwidth": "memory_bandwidth_bytes_per_second",
    "watts": "tdp_watts",
    "memory": "memory_bytes",
    "released": "released",
}
Record = dict[str, Any]


def differing_figures(folder: str) -> list[str]:
    """Return sentences for the figures of a checkout's records that differ and are not accepted."""
    opened = user_folder(folder)
    tables = [(name, opened.table(name)) for name in opened.names if "/chips/" in name]
    known = [(f"{name}.yaml", table) for name, table in tables if table is not None]
    return disagreements(
        folder,
        {(table["vendor"], record["name"]): (file, record) for file, table in known for record in table["chips"]},
    )


def disagreements(folder: str, chips: dict[tuple[str, str], tuple[str, Record]]) -> list[str]:
    """Return sentences for unaccepted differences and needless acceptances; [] if there is no table.

    Args:
        folder: a checkout's specs.
        chips: (file, record) by vendor and name.
    """
    path = os.path.join(folder, *TABLE)
    table = parse(path) if os.path.exists(path) else {}
    accepted = {(chip, row["field"]) for row in table.get("accepted") or () for chip in row["chips"]}
    opinions: dict[tuple[str, str], list[Record]] = {}
    for row in table.get("rows") or ():
        opinions.setdefault((row["vendor"], row["chip"]), []).append(row)
    found, taken = [], set()
    for key, rows in opinions.items():
        if key not in chips:
            found.append(f"{TABLE[-1]}: {key[1]}: no record of {key[0]} has this name")
            continue
        file, record = chips[key]
        for field, sentence in _differing(record, rows):
            if (key[1], field) in accepted:
                taken.add((key[1], field))
            else:
                found.append(f"{file}: {key[1]}: {field}: {sentence}")
    left = [f"{TABLE[-1]}: {chip}: {field}: nothing differs: leave it out" for chip, field in accepted - taken]
    return found + sorted(left)


def _differing(record: Record, rows: list[Record]) -> Iterator[tuple[str, str]]:
    """Yield the fields in which no row agrees with the record."""
    for key, field in _FIELDS.items():
        mine = record.get(field)
        if "." in field:
            mine = (record.get(field.partition(".")[0]) or {}).get(key)
        others = [row[key] for row in rows if key in row]
        if mine is not None and others and not any(_agrees(key, mine, other) for other in others):
            yield field, f"{_shown(mine)}, and elsewhere {' or '.join(sorted({_shown(other) for other in others}))}"


def _agrees(key: str, mine: Any, other: Any) -> bool:
    if key == "released":
        return _same_day(str(mine), str(other))
    if key == "memory":
        return any(near(mine, size, _SHARE) for size in other)
    low, high = other if isinstance(other, list) else (other, other)
    return bool(low * (1 - _SHARE) <= mine <= high * (1 + _SHARE))


def _same_day(mine: str, other: str) -> bool:
    """Return whether two dates (each a day, a month or a year) can belong to the same release."""
    one, two = (_days(text) for text in (mine, other))
    return one is None or two is None or (one[0] - _DAYS <= two[1] and two[0] - _DAYS <= one[1])


def _days(text: str) -> tuple[int, int] | None:
    """Return the first and the last day that a date can mean, as day numbers with 31-day months."""
    found = re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", text)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    first = (int(year or 0) * 12 + (month or 1)) * 31 + (day or 1)
    last = (int(year or 0) * 12 + (month or 12)) * 31 + (day or 31)
    return first, last


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"{_shown(value[0])} to {_shown(value[-1])}" if len(value) > 1 else _shown(value[0])
    return value if isinstance(value, str) else f"{value:.4g}"
