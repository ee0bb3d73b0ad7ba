"""Which tables are compared with a package index: specs/frameworks/subjects.yaml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accel.apps.refresh.index import Registry, Unanswered
from accel.apps.refresh.propose import Proposal, of_packages, of_pairs, of_releases, order
from accel.apps.refresh.wheels import Wheel

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A package on the index, and the tables it informs. The fields are those of the table, which documents them."""

    package: str
    tables: tuple[str, ...] = ()
    rows: str = ""
    list: str = "packages"
    key: str = "version"
    base: str = ""
    of: str = ""
    variant: str = ""
    pins: tuple[str, ...] = ()
    extra: str = ""
    parts: int = 3
    since: str = "0"

    @property
    def files(self) -> tuple[str, ...]:
        """The tables' names in `accel.specs`: "frameworks/torch"."""
        return tuple(f"frameworks/{name}" for name in self.tables) or (self.rows,)


def subjects_of(table: Table) -> tuple[Subject, ...]:
    """Return the rows of the table of subjects."""

    def members(row: Table) -> dict[str, Any]:
        return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}

    return tuple(Subject(**members(row)) for row in table["subjects"])


def known_rows(subject: Subject, tables: Sequence[Table]) -> list[Mapping[str, Any]]:
    """Return a subject's rows in its tables."""
    if subject.base:
        return [row for table in tables for key in table if key.startswith(subject.key) for row in table[key]]
    if subject.rows:
        return [row for table in tables for row in table[subject.list] if row["name"] == subject.package]
    return [row for table in tables for row in table["releases"]]


def proposals_of(subject: Subject, tables: Sequence[Table], index: Registry) -> list[Proposal]:
    """Return what the tables lack or have wrong. Raises Unanswered, also for an implausible answer."""
    rows, wheels = known_rows(subject, tables), asked(subject, tables, index)
    if subject.base:
        return of_pairs(subject.package, wheels, rows, index.requires, subject.key, subject.base)
    if subject.rows:
        of = subject
        return of_packages(of.package, wheels, rows, index.requires, of.pins, of.parts, of.since, of.extra)
    return of_releases(subject.package, wheels, rows, index.requires, subject.of, subject.variant, subject.since)


def asked(subject: Subject, tables: Sequence[Table], index: Registry) -> tuple[Wheel, ...]:
    """Return the package's wheels on the index. Raises Unanswered if it has none of the newest known ones."""
    wheels, known = index.wheels(subject.package), known_versions(subject, tables)
    newest = sorted({v for v in known if ".x" not in v}, key=order)[-3:]
    if newest and not {order(v) for v in newest} & {order(wheel.version) for wheel in wheels}:
        raise Unanswered(f"the answer has none of {', '.join(newest)}, which the table has: it was rejected")
    return wheels


def known_versions(subject: Subject, tables: Sequence[Table]) -> list[str]:
    """Return the versions of a subject in its tables."""
    rows = known_rows(subject, tables)
    return [str((row.get(subject.of) if subject.of else None) or row[subject.key]) for row in rows]
