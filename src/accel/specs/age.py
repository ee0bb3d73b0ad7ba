"""How old the tables are: when each was last checked against its sources, and what it covers up to.

A version beyond a table's newest is not judged: `beyond` says that it is newer than the data.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from accel.model.dataclass import dataclass
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.specs import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """What a table, or a vendor's tables of one kind, were checked on last, and how far they go.

    subject    "torch", "CUDA", "chips: nvidia"
    checked    the newest day on which a source was read: "2026-11-22", or a month; None: not said
    covers     the newest that it holds: "2.15.0 of 2026-10-28"; "" where it has no order in time
    records    how many it holds
    """

    subject: str
    checked: str | None
    covers: str = ""
    records: int


def ages(specs: "Specs") -> tuple[Age, ...]:
    """Return the age of every table, frameworks first."""
    return (*_frameworks(specs), *_companions(specs), *_toolkits(specs), *_rules(specs), *_chips(specs))


def newest_of(specs: "Specs", framework: str) -> tuple[str, str | None] | None:
    """Return the newest release of a framework in the tables, and when they were checked; None without such a table."""
    found = specs.frameworks(framework)
    return (found[-1].version, _checked(_tables_of(specs, framework))) if found else None


def beyond(specs: "Specs", framework: str, version: str | None) -> str | None:
    """Return that a release is newer than the data, as a sentence; None if it is not, or no such table is there."""
    if version is None or not numbers(version):
        return None
    newest = newest_of(specs, framework)
    if newest is None or numbers(version) <= numbers(newest[0]):
        return None
    return f"accel's data of {framework} is of {newest[1]} and ends with {newest[0]}: {version} is newer than it"


def _frameworks(specs: "Specs") -> Iterator[Age]:
    seen: dict[str, None] = {}
    for _, table in specs.tables("frameworks/", depth=1):
        if isinstance(table, dict) and "framework" in table and "releases" in table:
            seen.setdefault(table["framework"], None)
    for name in seen:
        found = specs.frameworks(name)
        newest = found[-1]
        day = f" of {newest.date}" if newest.date else ""
        covers = f"{newest.version}{day}"
        yield Age(subject=name, checked=_checked(_tables_of(specs, name)), covers=covers, records=len(found))


def _companions(specs: "Specs") -> Iterator[Age]:
    tables = [table for _, table in specs.tables("frameworks/companions")]
    rows = [row for table in tables for row in table.get("packages") or ()]
    for name in dict.fromkeys(row["name"] for row in rows):
        if specs.frameworks(name):
            continue
        versions = [row["version"] for row in rows if row["name"] == name]
        covers = max(versions, key=numbers)
        yield Age(subject=name, checked=_checked(tables), covers=covers, records=len(versions))


def _toolkits(specs: "Specs") -> Iterator[Age]:
    table = specs.table("nvidia/cuda") or {}
    if rows := table.get("toolkits"):
        newest = max(rows, key=lambda row: numbers(row["version"]))
        yield Age(subject="CUDA", checked=_checked([table]), covers=newest["version"], records=len(rows))
    if rows := table.get("serves"):
        covers = f"branch {max(row['branch'] for row in rows)}"
        yield Age(subject="NVIDIA drivers", checked=_checked([table]), covers=covers, records=len(rows))
    table = specs.table("ascend/compatibility") or {}
    if rows := table.get("torch_npu"):
        covers = "torch_npu " + max((row["torch_npu"] for row in rows), key=numbers)
        yield Age(subject="CANN", checked=_checked([table]), covers=covers, records=len(rows))


def _rules(specs: "Specs") -> Iterator[Age]:
    table = specs.table("restrictions/export_control") or {}
    if rows := table.get("rules"):
        ends = [row["known_until"] for row in rows if row.get("known_until")]
        covers = f"known up to {min(ends)}" if ends else ""
        yield Age(subject="export rules", checked=_checked([table]), covers=covers, records=len(rows))


def _chips(specs: "Specs") -> Iterator[Age]:
    for vendor in sorted(specs.vendors):
        tables = [table for _, table in specs.tables(f"{vendor}/chips/")]
        chips = [chip for table in tables for chip in table.get("chips") or ()]
        released = sorted(day for chip in chips if (day := chip.get("released")))
        covers = f"released to {released[-1]}" if released else ""
        yield Age(subject=f"chips: {vendor}", checked=_checked(tables), covers=covers, records=len(chips))


def _tables_of(specs: "Specs", framework: str) -> list[Any]:
    tables = (table for _, table in specs.tables(f"frameworks/{framework}", depth=1))
    return [table for table in tables if isinstance(table, dict) and table.get("framework") == framework]


def _checked(tables: Iterable[Any]) -> str | None:
    """Return the newest day that a source of the tables was read; a wheel's tables keep it as "checked"."""
    found = [day for table in tables for day in _days(table)]
    return max(found, default=None)


def _days(table: dict[str, Any]) -> Iterator[str]:
    sources = table.get("sources") or ()
    rows = sources.values() if isinstance(sources, dict) else sources
    told = [row.get("read") for row in rows if isinstance(row, dict)]
    for day in (*told, table.get("checked"), table.get("as_of")):
        if isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d(-\d\d)?", day):
            yield day
