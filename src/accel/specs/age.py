"""How old the tables are: when each was last checked against its sources, and what it covers up to.

A version beyond a table's newest is not judged: `beyond` says that it is newer than the data. What was last compared
with its package index, or checked, too long ago is said with an answer from it: `old_data`.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.specs.versions import numbers
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.specs import Specs

OLD: Final = 30  # days after which a comparison with a package index is old
OLD_CHECK: Final = 180  # days after which the check of a table against its sources is old
_DAY: Final = pattern(r"\d{4}-\d\d(-\d\d)?", exact_case=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """What a table, or a vendor's tables of one kind, were checked on last, and how far they go.

    subject    "torch", "CUDA", "chips: nvidia"
    checked    the newest day on which a source was read: "2026-11-22", or a month; None: not said
    compared   the day on which it was last compared with its package index; None: it has none, or never was
    covers     the newest that it holds: "2.15.0 of 2026-10-28"; "" where it has no order in time
    records    how many it holds
    """

    subject: str
    checked: str | None
    compared: str | None = None
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


def today() -> date:
    """Return the day in UTC; that of SOURCE_DATE_EPOCH where it is set, so that an output can be made again."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told.isdecimal():
        return datetime.fromtimestamp(int(told), timezone.utc).date()
    return datetime.now(timezone.utc).date()


def compared_on(specs: "Specs", package: str) -> str | None:
    """Return the day on which a package's table was last compared with its index; None if it is not known."""
    own = [table.get("compared") for table in _tables_of(specs, package)]
    days = [day for day in own if isinstance(day, str)]
    for name in ("frameworks/companions", "frameworks/companions_tools", "ascend/compatibility"):
        told = (specs.table(name) or {}).get("compared")
        if isinstance(told, dict) and package in told:
            days.append(told[package])
    return min(days, default=None)


def old_data(specs: "Specs", packages: Iterable[str], on: date, releases_of: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a sentence for the packages whose tables were compared with their index too long before a day.

    releases_of  packages of which a wheel of their project's releases was chosen: that list has a day of its own
    """
    projects = (specs.table("frameworks/release_wheels") or {}).get("projects") or ()
    lists = {row["package"]: row.get("compared") for row in projects}
    dated = [(name, "the package index", compared_on(specs, name)) for name in dict.fromkeys(packages)]
    dated += [(name, "the project's releases", lists.get(name)) for name in dict.fromkeys(releases_of)]
    old: dict[tuple[str, str, int], list[str]] = {}
    for name, what, day in dated:
        if day is not None and (age := (on - date.fromisoformat(day)).days) > OLD:
            old.setdefault((what, day, age), []).append(name)
    return tuple(
        f"accel's data of {', '.join(names)} was last compared with {what} on {day}, {age} days ago; newer releases "
        f"may exist. Compare it:  accel specs refresh {' '.join(names)}"
        for (what, day, age), names in old.items()
    )


def old_check(checked: str | None, on: date) -> str | None:
    """Return that a table was checked against its sources long before a day, as a sentence; None if it was not."""
    if checked is None:
        return None
    age = (on - date.fromisoformat(checked if len(checked) > len("2026-11") else f"{checked}-28")).days
    return (
        f"Last checked in {checked[:7]}, {age} days ago: figures may have changed since." if age > OLD_CHECK else None
    )


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
        checked, compared = _checked(_tables_of(specs, name)), compared_on(specs, name)
        yield Age(subject=name, checked=checked, compared=compared, covers=covers, records=len(found))


def _companions(specs: "Specs") -> Iterator[Age]:
    tables = [table for _, table in specs.tables("frameworks/companions")]
    rows = [row for table in tables for row in table.get("packages") or ()]
    for name in dict.fromkeys(row["name"] for row in rows):
        if specs.frameworks(name):
            continue
        versions = [row["version"] for row in rows if row["name"] == name]
        covers = max(versions, key=numbers)
        checked, compared = _checked(tables), compared_on(specs, name)
        yield Age(subject=name, checked=checked, compared=compared, covers=covers, records=len(versions))


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
        compared = compared_on(specs, "torch-npu")
        yield Age(subject="CANN", checked=_checked([table]), compared=compared, covers=covers, records=len(rows))


def _rules(specs: "Specs") -> Iterator[Age]:
    table = specs.table("restrictions/export_control") or {}
    if rows := table.get("rules"):
        ends = [row["known_until"] for row in rows if row.get("known_until")]
        covers = f"known up to {min(ends)}" if ends else ""
        yield Age(subject="export rules", checked=_checked([table]), covers=covers, records=len(rows))


def checked_of_vendor(specs: "Specs", vendor: str) -> str | None:
    """Return the newest day on which a source of a vendor's chips was read; None: not said."""
    return _checked(table for _, table in specs.tables(f"{specs.folder_of(vendor)}/chips/"))


def _chips(specs: "Specs") -> Iterator[Age]:
    for vendor in sorted(specs.vendors):
        tables = [table for _, table in specs.tables(f"{vendor}/chips/")]
        chips = [chip for table in tables for chip in table.get("chips") or ()]
        released = sorted(day for chip in chips if (day := chip.get("released")))
        covers = f"released to {released[-1]}" if released else ""
        yield Age(
            subject=f"chips: {vendor}", checked=checked_of_vendor(specs, vendor), covers=covers, records=len(chips)
        )


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
        if isinstance(day, str) and _DAY.fullmatch(day):
            yield day
