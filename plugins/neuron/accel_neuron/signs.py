"""Signs that a machine has Neuron devices."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, applies

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event

_TELLING: Final = (
    "neuron-no-module",
    "neuron-no-device",
    "neuron-driver-unknown",
    "neuron-cores-not-available",
    "neuron-hardware-error",
)


def need_neuron(facts: "Facts") -> None:
    """End the check as skipped where nothing tells of Neuron."""
    applies(bool(facts.of("neuron") or facts.events(*_TELLING)), "nothing here tells of a Neuron device")


def quoted(events: "Iterable[Event]") -> tuple[Evidence, ...]:
    """Return the events' sentences as evidence, each once."""
    seen = dict.fromkeys((event.name, event.message.strip(), event.source) for event in events)
    return tuple(Evidence(fact=name, value=message, source=source) for name, message, source in list(seen)[:4])
