"""Which observations state a fault, and how surely."""

from typing import Final

from accel.model.observation import Observation

FAULTS: Final = frozenset(("error", "missing", "conflict", "raised", "complaint", "offered", "limit", "noted"))
SURE: Final = frozenset(("error", "missing", "conflict", "raised", "offered"))  # in output: something went wrong


def kind_of(one: Observation) -> str:
    """Return the kind that a saved snapshot tells the classes apart by; "" of none."""
    return str(getattr(one, "kind", ""))


def is_certain(one: Observation) -> bool:
    """Whether it is a line that nobody would take for anything but an error."""
    return kind_of(one) == "complaint" and bool(getattr(one, "certain", False))


def is_sure(one: Observation) -> bool:
    """Whether it states that something went wrong, and does not only sound so."""
    return kind_of(one) in SURE or is_certain(one)
