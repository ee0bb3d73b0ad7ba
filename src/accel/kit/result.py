"""The kit's result for a plugin, as one record."""

from typing import Final

from accel.kit.requirement import LEVELS, Level, Outcome
from accel.model.dataclass import dataclass

KIT_VERSION: Final = "1"
SCHEMA: Final = "accel.conformance/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result. level: the highest one up to which every rule passed or does not apply; None: not even discover.

    chosen  whether only some rules were run; there is no level then
    notes   information for the user that is not a fault
    """

    plugin: str
    distribution: str
    version: str | None
    level: Level | None
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    chosen: bool = False
    seconds: float = 0.0
    schema: str = SCHEMA
    kit: str = KIT_VERSION
    accel: str | None = None
    python: str | None = None
    system: str | None = None
    taken_at: str | None = None

    @property
    def faults(self) -> int:
        return sum(len(outcome.faults) for outcome in self.outcomes)


def reached(outcomes: tuple[Outcome, ...]) -> Level | None:
    """Return the level that these outcomes prove."""
    found: Level | None = None
    for level in LEVELS:
        rules = [outcome for outcome in outcomes if outcome.level == level]
        if not rules or any(outcome.status in ("failed", "not proven") for outcome in rules):
            return found
        found = level
    return found
