"""Whether a text already answers what a question would ask for. Pure.

the whole traceback       the text has one
nvcc --version            somebody ran it, and its output follows
cat /etc/nv_tegra_release the text names the JetPack version
"""

from collections.abc import Mapping
from typing import Any

from accel.facts.query import holds
from accel.facts.questions import Facts
from accel.model.observation import Command, Raised
from accel.specs import Specs
from accel.vendors.contract.command import parts_of


def unanswered(asked: str, facts: Facts, specs: Specs) -> str | None:
    """Return the parts of a command, joined by ";", or the words, that a text leaves open; None if it answers all."""
    typed = facts.cached("commands with an answer", lambda: {_plain(o.text) for o in _commands(facts) if o.answer})
    rows = (specs.table("language/answered") or {}).get("answered", ())
    left = (part for part in parts_of(asked) if not (_plain(part) in typed or _is_answered(part, rows, facts)))
    return "; ".join(left) or None


def _is_answered(part: str, rows: "list[Mapping[str, Any]]", facts: Facts) -> bool:
    return any(_asks(row, part) and _is_told(row, facts) for row in rows)


def _asks(row: "Mapping[str, Any]", part: str) -> bool:
    return part in row.get("whole", ()) or any(word in part for word in row.get("asks", ()))


def _is_told(row: Mapping[str, Any], facts: Facts) -> bool:
    if "known" in row:
        return holds(row["known"], facts)
    if "lines" in row:
        told = facts.cached("lines", lambda: "\n".join(one.text.lower() for one in facts.snapshot.observations))
        return any(words in told for words in row["lines"])
    return any(_SHOWN[kind](facts) for kind in row["shown"])


def _commands(facts: Facts) -> list[Command]:
    return [one for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice]


def _traceback(facts: Facts) -> bool:
    return any(isinstance(one, Raised) and one.frames for one in facts.snapshot.observations)


def _plain(command: str) -> str:
    """Return a command without prompt and sudo, so that different ways of writing it compare equal."""
    return " ".join(command.lower().lstrip("$#>% ").split()).removeprefix("sudo ")


_SHOWN = {"command": lambda facts: bool(_commands(facts)), "traceback": _traceback}
