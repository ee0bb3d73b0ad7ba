"""In which order a finding's remedies stand: what mends, the least invasive, comes before what only shows. Pure.

See which is full.                           Move caches to a larger disk.
Move caches to a larger disk.       becomes  See which is full.
In containers: enlarge the volume.           (left out on a machine that is none)

A look stays first where no other step can be: each waits for it, cannot be taken back, or is for a place that this
machine is not known to be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.places import is_here, place_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Action, Remedy
    from accel.specs import Specs

_BOUND: Final = ("Then ", "Then, ", "Or ", "Or, ")
_INVASIVE: Final[tuple["Action", ...]] = ("app", "env", "admin", "reset", "reboot", "service")  # the least first


def in_order(remedies: Sequence["Remedy"], facts: "Facts", specs: "Specs") -> "tuple[Remedy, ...]":
    """Return those that are for this place, the first that mends in front; all, where none would be left."""
    table: Mapping[str, Any] = specs.table("language/remedies") or {}
    here = [
        one for one in remedies if (place := place_of(one.text, table)) is None or is_here(place, facts) is not False
    ]
    kept = here or list(remedies)
    if len(kept) < 2 or kept[0].kind != "look":
        return tuple(kept)
    mending = [one for one in kept[1:] if _may_lead(one, table, facts, specs)]
    if not mending:
        return tuple(kept)
    first = min(mending, key=lambda one: (one.text.startswith("If "), _INVASIVE.index(one.action)))
    return (_alone(first), *(one for one in kept if one is not first))


def waits(remedy: "Remedy", specs: "Specs") -> bool:
    """Whether a step follows another one, by its first words."""
    table: Mapping[str, Any] = specs.table("language/remedies") or {}
    return remedy.text.startswith(tuple(table.get("waits", ())))


def _may_lead(remedy: "Remedy", table: Mapping[str, Any], facts: "Facts", specs: "Specs") -> bool:
    """Whether a step may come before a look."""
    place = place_of(remedy.text, table)
    undone = set((remedy.command or "").replace("(", " ").split()) & set(table.get("undoes", ()))
    return (
        not waits(remedy, specs)
        and not undone
        and remedy.kind == "mend"
        and (place is None or is_here(place, facts) is True)
    )


def _alone(remedy: "Remedy") -> "Remedy":
    """Return a step without the word that binds it to the one before it."""
    start = next((word for word in _BOUND if remedy.text.startswith(word)), "")
    text = remedy.text[len(start) :]
    return replace(remedy, text=f"{text[:1].upper()}{text[1:]}") if start else remedy
