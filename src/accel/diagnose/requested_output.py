"""What to look at next if a text says too little to find a fault, and too little to say that there is none."""

from collections.abc import Mapping
from typing import Any, Final

from accel.diagnose.askable import askable, subjects_of
from accel.facts.query import holds
from accel.facts.questions import Facts
from accel.model.diagnosis import Look
from accel.model.observation import Complaint
from accel.specs import Specs

_MOST: Final = 4  # commands: who is asked for more gives none
_OUTPUT: Final = Look(text="If a program fails: its complete output (this text shows no error).")


def requested_output(
    facts: Facts, specs: Specs, powershell: bool | None = None, *, error_left_open: bool = False
) -> tuple[Look, ...]:
    """Return what would decide, the main subject of the text first: a command each, and what it shows.

    error_left_open  an error is shown with its causes, so the text does contain one
    """
    from accel.remedies.render import looked_at_here

    found = [
        Look(
            text=row["tells"], command=looked_at_here(command, facts, specs, powershell), decides=tuple(row["decides"])
        )
        for row, command in _fitting(facts, specs)
    ]
    if not (error_left_open or any(isinstance(one, Complaint) for one in facts.snapshot.observations)):
        found.insert(0, _OUTPUT)
    return tuple(found)


def _fitting(facts: Facts, specs: Specs) -> list[tuple[Mapping[str, Any], str]]:
    """Return the rows about the subjects of the text, the closest first, with the parts of commands that fit."""
    subjects = subjects_of(facts, specs)
    about = (
        row for row in specs.hints.requested_output if subjects.issuperset(row["about"]) and not _is_known(row, facts)
    )
    rows = [(row, command) for row in about if (command := askable(row["command"], facts, specs)) is not None]
    rows.sort(key=lambda row: -len(row[0]["about"]))
    return rows[:_MOST]


def _is_known(row: Mapping[str, Any], facts: Facts) -> bool:
    return "known" in row and holds(row["known"], facts)
