"""Which observations state a fault, and how certain it is."""

from typing import Final

from accel.model.observation import Observation

FAULTS: Final = frozenset(("error", "missing", "conflict", "raised", "complaint", "offered", "limit", "noted"))
SURE: Final = frozenset(("error", "missing", "conflict", "raised", "offered"))  # in output: something went wrong


def kind_of(one: Observation) -> str:
    """Return the kind that identifies the class in a saved snapshot; "" if it has none."""
    return str(getattr(one, "kind", ""))


def is_certain(one: Observation) -> bool:
    """Return whether a line is unmistakably an error."""
    return kind_of(one) == "complaint" and bool(getattr(one, "certain", False))


def is_sure(one: Observation) -> bool:
    """Return whether it states that something went wrong, rather than just sounding like it."""
    return kind_of(one) in SURE or is_certain(one)
