"""A shell that took the assignment of a variable for a command.

'CMAKE_ARGS' is not recognized as an internal or external command         CMAKE_ARGS="…" pip install …, in cmd
The term 'CUDA_VISIBLE_DEVICES=0' is not recognized as the name of …      CUDA_VISIBLE_DEVICES=0 python …, in PowerShell
'export' is not recognized as an internal or external command             export HF_HOME=…
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact, Missing
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_NAME: Final = pattern(
    r"(?P<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})(?:=(?P<value>\S{0,200}))?", exact_case=True
)
_ASSIGNED: Final = pattern(
    r"\b(?P<name>[A-Z][A-Z0-9_]{2,60})=(?:\"(?P<double>[^\"]{1,200})\"|'(?P<single>[^']{1,200})'|(?P<plain>[^\s\"'`]{1,200}))",
    exact_case=True,
)
_WORDS: Final = ("export", "setenv")


@rule(
    gives={"assignment-taken-for-command": "a shell took the assignment of an environment variable for a command"},
    triggers=("missing.command",),
)
def assignment_as_command(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a missing command that is named like a variable, or that sets one in other shells."""
    for one in seen.of(Missing):
        if one.piece != "command" or "not found" in one.text.lower():  # of a shell that knows assignments
            continue
        word = (one.name or "").strip("'\"`“”‘’")
        named = _NAME.fullmatch(word)
        if named is None and word not in _WORDS:
            continue
        name = named["name"] if named is not None else None
        assigned = _assigned(seen, name)
        value = assigned[1] if assigned else (named["value"] if named is not None else None)
        values = (
            ("word", word.partition("=")[0]),
            ("name", name or (assigned[0] if assigned else None)),
            ("value", value),
            ("package", _package(seen, assigned[2]) if assigned else None),
        )
        yield fact_from("assignment-taken-for-command", one, **dict(values))
        return


def _assigned(seen: Seen, name: str | None) -> tuple[str, str, str] | None:
    """Return a variable, its value and the line that assigns it."""
    for one in seen.snapshot.observations:
        for found in _ASSIGNED.finditer(one.text):
            if name in (None, found["name"]):
                value = (found["double"] or found["single"] or found["plain"]).rstrip(",;.*")
                return found["name"], value, one.text
    return None


def _package(seen: Seen, line: str) -> str | None:
    """Return the only package that pip installs on a line."""
    for one in seen.of(Command):
        if (
            one.text == line
            and one.tool in ("pip", "pip3", "python")
            and one.verb == "install"
            and len(one.operands) == 1
        ):
            return one.operands[0].rstrip("*`.,")
    return None
