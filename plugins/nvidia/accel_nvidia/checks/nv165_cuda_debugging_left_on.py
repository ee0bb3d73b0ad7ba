"""Variables for finding faults that are still set."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, check
from accel_nvidia.left_on import left_on

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV165",
    name="cuda-debugging-left-on",
    layer="application",
    severity="info",
    needs=("nvidia.devices", "environment.variables"),
    asks=("environment.variables",),
)
def cuda_debugging_left_on(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A variable that helps to find faults of CUDA programs is set, and slows every program down.

    Why it matters   CUDA_LAUNCH_BLOCKING=1 makes the processor wait for each kernel; others profile or dump memory.
    What to do       Unset them when the fault is found.
    Looks at         the variables of specs/nvidia/debugging_variables.yaml
    Silent when      none is set, or to a value that does nothing
    Source           CUDA C++ programming guide: environment variables; PyTorch: CUDA semantics
    """
    yield from left_on("nvidia/debugging_variables", "Unset it when the fault is found.", facts, specs)
