"""How one sees that a fault is over, as this machine types it. Pure."""

from typing import TYPE_CHECKING, Final

from accel.model.diagnosis import Proof, Remedy
from accel.resolver.here import as_typed_here

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LIVE: Final = "accel doctor no longer names it."
_OF_A_TEXT: Final = "Do again what failed: accel doctor, run there or on the new output, no longer names it."


def over_of(name: str, facts: "Facts", specs: "Specs", powershell: bool | None = None) -> Proof:
    """Return how one sees that the fault of a check is over: as its table has it, else by asking the doctor again."""
    known = specs.causes.get(name)
    told = known["over"] if known is not None else {"text": _LIVE if facts.live else _OF_A_TEXT}
    command = told.get("command", "accel doctor")
    typed = as_typed_here(Remedy(text=told["text"], command=command), facts, specs, powershell)
    return Proof(text=typed.text, command=typed.command)
