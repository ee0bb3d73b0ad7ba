"""A DLL beside python.exe in place of a framework's own."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC328",
    name="dll-from-elsewhere",
    layer="framework",
    severity="warning",
    family="windows-specific",
    reads=("dll-from-elsewhere",),
    needs=("run.program",),
)
def dll_from_elsewhere(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Windows would take a DLL out of the folder of python.exe, before the other copy that the package brings.

    Why it matters   A DLL of another release lacks what is asked of it: WinError 127, or a crash in a call.
    What to do       Move the copy beside python.exe away.
    Looks at         the import tables of what the import begins with, and the folders where Windows looks, in its order
    Silent when      both copies are of one size; the first is the package's own
    Source           Microsoft: dynamic-link library search order; CPython: os.add_dll_directory
    """
    told = facts.stated("dll-from-elsewhere")
    if not told:
        return
    first, more = told[0], f", and {len(told) - 1} more" if len(told) > 1 else ""
    yield Problem(
        title=f"{first.value('framework')} takes {first.value('path')}, not its own {first.value('name')}{more}",
        evidence=quoted(told, 8),
        remedies=(
            Remedy(
                text=f"Move {first.value('path')} away: programs of this Python find it before "
                f"{first.value('own')}, whichever they were built with.",
                action="env",
            ),
        ),
    )
