"""What may be asked about a text: commands of its makers, its system and its devices, if it does not answer them. Pure.

a Mac, an Ascend server      no nvidia-smi and no LD_LIBRARY_PATH, though the text has the word cuda
a Jetson                     no nvidia-smi, which its driver does not bring
"""

from typing import TYPE_CHECKING

from accel.diagnose.answered import unanswered

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


def subjects_of(facts: "Facts", specs: "Specs") -> frozenset[str]:
    """Return what a text speaks of, without the makers that have no device here; all, where no device is known."""
    spoken = frozenset(fact.value("subject") or "" for fact in facts.stated("spoken-of"))
    makers = specs.hints.makers
    here = {device.backend for device in facts.accelerators}
    here |= {"apple"} if facts.host.system == "macos" else set()
    known = frozenset(subject for subject, backend in makers.items() if backend in here)
    return (spoken - makers.keys()) | known if known else spoken


def askable(command: str | None, facts: "Facts", specs: "Specs") -> str | None:
    """Return the parts of a command, joined by ";", that this machine can have and the text does not answer."""
    lacking = specs.hints.lacking(facts.host.system, subjects_of(facts, specs))
    parts = (command or "").split("; ")
    possible = "; ".join(part for part in parts if part and not any(word in part for word in lacking))
    return unanswered(possible, facts, specs) if possible else None
