"""Evidence out of what programs said."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accel.contract.check import Evidence

if TYPE_CHECKING:
    from accel.model.report import Event


def quoted(events: "Iterable[Event]") -> tuple[Evidence, ...]:
    """Return the events' sentences as evidence, each once."""
    seen = dict.fromkeys((event.name, event.message.strip(), event.source) for event in events)
    return tuple(Evidence(fact=name, value=message, source=source) for name, message, source in list(seen)[:4])
