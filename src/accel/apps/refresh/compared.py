"""When a table was last compared with its package index in full, and whether that is too long ago. Pure.

A table says it as `compared`: a day, or by package where it has rows of several. The lists of projects' releases may be
older: many a machine reaches a copy of the package index and nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from accel.apps.refresh.subjects import Subject

DAYS: Final = 30
DAYS_OF_RELEASES: Final = 90


def compared_on(subject: Subject, tables: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the day on which the tables of a subject were compared last; None if they never were."""
    days = [_day(table.get("compared"), subject.package) for table in tables]
    return min(day for day in days if day) if days and all(days) else None


def overdue(subject: str, day: str | None, today: date, most: int = DAYS) -> Iterator[str]:
    """Yield a sentence if a day is more than so many days ago, or none is known."""
    if day is None:
        yield f"{subject}: was never compared"
    elif (age := (today - date.fromisoformat(day)).days) > most:
        yield f"{subject}: was compared on {day}, {age} days ago; {most} are allowed"


def overdue_releases(table: Mapping[str, Any], today: date) -> Iterator[str]:
    """Yield a sentence for each project of whose releases the table has wheels, and which were read too long ago."""
    held = {row["package"] for row in table["wheels"]}
    for row in (row for row in table["projects"] if row["package"] in held):
        yield from overdue(f"releases of {row['project']}", row.get("compared"), today, DAYS_OF_RELEASES)


def _day(told: Any, package: str) -> str | None:
    day = told.get(package) if isinstance(told, dict) else told
    return day if isinstance(day, str) else None
