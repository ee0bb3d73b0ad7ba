"""The age of the tables: when each was last checked against its sources, and the newest release it covers.

A version newer than a table's newest is not judged; `beyond` reports that it is newer than the data. `old_data` warns
about an answer from tables whose last comparison with the package index is too old.
"""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.specs.versions import numbers
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from datetime import date

    from accel.specs import Specs

OLD: Final = 30  # days after which a comparison with a package index is old
OLD_CHECK: Final = 180  # days after which the check of a table against its sources is old
_DAY: Final = pattern(r"\d{4}-\d\d(-\d\d)?", exact_case=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """When a table, or a vendor's tables of one kind, were last checked, and the newest entry they cover.

    subject    "torch", "CUDA", "chips: nvidia"
    checked    the newest day on which a source was read: "2026-11-22", or a month; None if not recorded
    compared   the day of the last comparison with its package index; None if it has no index or was never compared
    covers     the newest entry: "2.15.0 of 2026-10-28"; "" if entries have no order in time
    records    the number of records
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
    """Return the newest release of a framework in the tables, and when they were checked; None if there is no table."""
    found = specs.frameworks(framework)
    return (found[-1].version, _checked(_tables_of(specs, framework))) if found else None


def beyond(specs: "Specs", framework: str, version: str | None) -> str | None:
    """Return a sentence if a release is newer than the data; None if it is not, or if there is no table."""
    if version is None or not numbers(version):
        return None
    newest = newest_of(specs, framework)
    if newest is None or numbers(version) <= numbers(newest[0]):
        return None
    return f"accel's data for {framework} is from {newest[1]} and ends with {newest[0]}: {version} is newer"


def today() -> "date":
    """Return today's date in UTC, or the date of SOURCE_DATE_EPOCH if it is set, for reproducible output."""
    from datetime import datetime, timezone

    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told.isdecimal():
        return datetime.fromtimestamp(int(told), timezone.utc).date()
    return datetime.now(timezone.utc).date()


def compared_on(specs: "Specs", package: str) -> str | None:
    """Return the day on which a package's table was last compared with its index; None if unknown."""
    own = [table.get("compared") for table in _tables_of(specs, package)]
    days = [day for day in own if isinstance(day, str)]
    for name in ("frameworks/companions", "frameworks/companions_tools", "ascend/compatibility"):
        told = (specs.table(name) or {}).get("compared")
        if isinstance(told, dict) and package in told:
            days.append(told[package])
    return min(days, default=None)


def old_data(specs: "Specs", packages: Iterable[str], on: "date", releases_of: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a sentence for packages whose tables were compared with their index too long before `on`.

    releases_of  packages for which a wheel from the project's own releases was chosen; that list has its own date
    """
    from datetime import date

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


def old_check(checked: str | None, on: "date") -> str | None:
    """Return a sentence if a table's last check against its sources is too old on a given day; None if it is not."""
    if checked is None:
        return None
    from datetime import date

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
    """Return the newest day on which a source of a vendor's chips was read; None if not recorded."""
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
    """Return the newest day on which a source of the tables was read; compiled tables store it as "checked"."""
    found = [day for table in tables for day in _days(table)]
    return max(found, default=None)


def _days(table: dict[str, Any]) -> Iterator[str]:
    sources = table.get("sources") or ()
    rows = sources.values() if isinstance(sources, dict) else sources
    told = [row.get("read") for row in rows if isinstance(row, dict)]
    for day in (*told, table.get("checked"), table.get("as_of")):
        if isinstance(day, str) and _DAY.fullmatch(day):
            yield day
