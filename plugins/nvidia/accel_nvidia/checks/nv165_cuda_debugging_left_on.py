"""Variables for finding faults that are still set."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.contract.command import chained, command_line, variable_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV165",
    name="cuda-debugging-left-on",
    layer="application",
    severity="info",
    needs=("nvidia.devices", "environment.variables"),
)
def cuda_debugging_left_on(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A variable that helps to find faults of CUDA programs is set, and slows every program down.

    Why it matters   CUDA_LAUNCH_BLOCKING=1 makes the processor wait for each kernel; others profile or dump memory.
    What to do       Unset them when the fault is found.
    Looks at         the variables of specs/nvidia/debugging_variables.yaml
    Silent when      none is set, or to a value that does nothing
    Source           CUDA C++ programming guide: environment variables; PyTorch: CUDA semantics
    """
    table = specs.table("nvidia/debugging_variables")
    rows = (table or {"variables": ()})["variables"]
    found = [(row, value) for row in rows if (value := facts.variable(row["name"])) is not None]
    found = [(row, value) for row, value in found if value.strip().lower() not in row["idle"]]
    if found:
        first = found[0][0]
        yield Problem(
            title=f"{first['name']} is set: it {first['does']}"
            + (f"; {len(found) - 1} more of the kind" if len(found) > 1 else ""),
            evidence=tuple(Evidence(fact=row["name"], value=value) for row, value in found),
            remedies=(
                Remedy(
                    text="Unset it when the fault is found.",
                    command=chained(*(command_line("unset", variable_word(row["name"])) for row, _ in found)),
                    action="env",
                ),
            ),
        )
