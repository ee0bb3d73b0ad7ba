"""Reports releases that are newer than the tables, which cannot be judged, and tables that were old at the time."""

from typing import TYPE_CHECKING

from accel.model.device import Gap

if TYPE_CHECKING:
    from datetime import date

    from accel.facts.questions import Facts
    from accel.specs import Specs

_TABLED = ("torch", "jax", "tensorflow")


def newer_than_data(facts: "Facts", specs: "Specs") -> tuple[Gap, ...]:
    """Return a gap for each installed framework that is newer than its table, or whose table is old.

    Whether a table is old depends on the day on which the machine was read; for texts that is unknown.
    """
    installed = {(f.name, f.version) for e in facts.snapshot.environments for f in e.frameworks if f.name in _TABLED}
    if not installed:
        return ()
    from accel.specs.age import beyond, old_data

    found = []
    for name, version in sorted((name, version) for name, version in installed if version is not None):
        reason = beyond(specs, name, version)
        if reason is not None:
            found.append(Gap(fact=f"builds of {name} {version}", reason=reason, source="specs"))
    day = _day(facts.snapshot.taken_at)
    if day is None:
        return tuple(found)
    for name in sorted({name for name, _ in installed}):
        found += [
            Gap(fact=f"newest releases of {name}", reason=text, source="specs") for text in old_data(specs, [name], day)
        ]
    return tuple(found)


def _day(taken_at: str | None) -> "date | None":
    if taken_at is None:
        return None
    from datetime import date

    try:
        return date.fromisoformat(taken_at[:10])
    except ValueError:
        return None
