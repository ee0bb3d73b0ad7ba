"""An error of the program itself, named so that nobody looks for it in the driver."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC010",
    name="program-error",
    layer="application",
    severity="info",
    reads=("program-error",),
    needs=("run.program",),
)
def program_error(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The program stopped on an error of its own, which names nothing of an accelerator or its software.

    Why it matters   Nothing in the driver, the toolkit or the packages explains it; looking there costs time.
    What to do       Read the last frames of the traceback that are the program's own files.
    Looks at         exceptions of everyday classes (KeyError, ValueError, AttributeError …) and their messages
    Silent when      the message names a device, a driver, a framework's build or a library of one
    Source           Python: built-in exceptions
    """
    for fact in facts.stated("program-error"):
        name = (fact.value("exception") or "an exception").rsplit(".", 1)[-1]
        yield Problem(title=f"{name}: an error of the program itself", evidence=quoted([fact]))
