"""Sentences as evidence."""

from collections.abc import Iterable

from accel.contract.check import Evidence
from accel.model.report import Event


def quoted(events: Iterable[Event], most: int = 4) -> tuple[Evidence, ...]:
    """Return the first sentences as evidence, each with the place where it stands."""
    return tuple(
        Evidence(
            fact=event.name,
            value=event.message[:240],
            source=event.source if event.line is None else f"{event.source or 'text'}, line {event.line}",
        )
        for event in list(events)[:most]
    )
