"""Signs that a machine has Gaudi cards."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, applies

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event

_TELLING: Final = ("gaudi-driver-not-loaded", "gaudi-no-module", "gaudi-acquire-failed")


def need_gaudi(facts: "Facts") -> None:
    """End the check as skipped where nothing tells of a Gaudi."""
    seen = facts.of("gaudi") or facts.driver("gaudi") or facts.events(*_TELLING)
    applies(bool(seen), "nothing here tells of a Gaudi")


def quoted(events: "Iterable[Event]") -> tuple[Evidence, ...]:
    """Return the events' sentences as evidence, each once."""
    seen = dict.fromkeys((event.name, event.message.strip(), event.source) for event in events)
    return tuple(Evidence(fact=name, value=message, source=source) for name, message, source in list(seen)[:4])
