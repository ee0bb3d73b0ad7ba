"""When a table was last fully compared with its package index, and whether that is too long ago.

A table states it as `compared`: a day, or one per package if it has rows of several. The lists of projects' releases
may be older: many machines can reach only a mirror of the package index.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from accel.apps.refresh.index import Registry
from accel.apps.refresh.propose import order
from accel.apps.refresh.subjects import Subject, asked, known_versions
from accel.apps.refresh.wheels import Wheel

DAYS: Final = 30
DAYS_OF_RELEASES: Final = 90


def compared_on(subject: Subject, tables: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the day of the last comparison of a subject's tables; None if there was none."""
    days = [_day(table.get("compared"), subject.package) for table in tables]
    return min(day for day in days if day) if days and all(days) else None


def overdue(subject: str, day: str | None, today: date, most: int = DAYS) -> Iterator[str]:
    """Yield a sentence if the day is more than `most` days ago, or None."""
    if day is None:
        yield f"{subject}: was never compared"
    elif (age := (today - date.fromisoformat(day)).days) > most:
        yield f"{subject}: was compared on {day}, {age} days ago; {most} are allowed"


def overdue_releases(table: Mapping[str, Any], today: date) -> Iterator[str]:
    """Yield a sentence for each project whose release wheels are in the table and were last compared too long ago."""
    held = {row["package"] for row in table["wheels"]}
    for row in (row for row in table["projects"] if row["package"] in held):
        yield from overdue(f"releases of {row['project']}", row.get("compared"), today, DAYS_OF_RELEASES)


def newer_of(subject: Subject, tables: Sequence[Mapping[str, Any]], index: Registry) -> list[str]:
    """Return the releases newer than those in the tables. Raises Unanswered."""
    return newer(
        asked(subject, tables, index), [version.replace(".x", ".9999") for version in known_versions(subject, tables)]
    )


def newer(wheels: Sequence[Wheel], versions: Sequence[str]) -> list[str]:
    """Return the releases newer than every version in a table, oldest first."""
    newest = max((order(v) for v in versions), default=())
    return sorted({w.version for w in wheels if order(w.version) > newest}, key=order)


def _day(told: Any, package: str) -> str | None:
    day = told.get(package) if isinstance(told, dict) else told
    return day if isinstance(day, str) else None
