"""What is newer than the tables: said, and not judged."""

from typing import TYPE_CHECKING

from accel.model.device import Gap
from accel.specs.age import beyond

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_TABLED = ("torch", "jax", "tensorflow")


def newer_than_data(facts: "Facts", specs: "Specs") -> tuple[Gap, ...]:
    """Return a gap for each framework that is installed in a release beyond the newest of its table."""
    installed = {(f.name, f.version) for e in facts.snapshot.environments for f in e.frameworks if f.name in _TABLED}
    found = []
    for name, version in sorted((name, version) for name, version in installed if version is not None):
        reason = beyond(specs, name, version)
        if reason is not None:
            found.append(Gap(fact=f"builds of {name} {version}", reason=reason, source="specs"))
    return tuple(found)
