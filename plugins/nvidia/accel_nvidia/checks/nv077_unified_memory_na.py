"""A program that cannot read the memory of a machine whose CPU and GPU share it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV077",
    name="unified-memory-na",
    layer="application",
    severity="warning",
    reads=("number-from-na", "shared-memory-machine"),
    needs=("run.program",),
)
def unified_memory_na(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """On a machine with one memory for CPU and GPU (GB10, Jetson) nvidia-smi prints N/A for the GPU's, and a program
    takes it for a number.

    Why it matters   The program ends or counts with nothing; the machine is healthy.
    What to do       Update the program; have it ask CUDA (cudaMemGetInfo) or the system for memory.
    Looks at         failures to read N/A or "Not Supported" as a number, and the machine's name
    Silent when      the program does not fail: N/A is no fault, and not 0
    Source           NVIDIA: DGX Spark user guide, known issues; CUDA runtime API: cudaMemGetInfo
    """
    found = facts.stated("number-from-na")
    if found:
        yield Problem(
            title="A program takes the N/A that nvidia-smi prints for shared memory for a number",
            evidence=(*quoted(found, most=2), *quoted(facts.stated("shared-memory-machine"), most=1)),
            remedies=(
                Remedy(
                    text="Update the program, or report it there: on this machine nvidia-smi does not count memory.",
                    action="app",
                ),
                Remedy(
                    text="The memory that CUDA can use is told by CUDA itself.",
                    command="python -c 'import torch; print(torch.cuda.mem_get_info())'",
                    action="app",
                ),
            ),
        )
