"""Memory of the host that WSL cannot lock for the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check, quoted
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV099",
    name="wsl-pinned-memory-limit",
    layer="access",
    reads=("locked-memory-refused", *around.AROUND),
    needs=("run.program",),
)
def wsl_pinned_memory_limit(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Under WSL a program asks for more locked (pinned) host memory than Windows lets it have.

    Why it matters   CUDA says "out of memory" while the GPU is nearly empty: it is the host's memory that is meant.
    What to do       Load data without pinning (pin_memory=False), or in smaller pieces; give WSL more memory.
    Looks at         signs of WSL beside a refused cudaHostAlloc, pin_memory or "bytes on host"
    Silent when      there is no sign of WSL
    Source           NVIDIA: CUDA on WSL user guide, known limitations: pinned system memory
    """
    applies(around.on_wsl(facts), "no sign of WSL")
    refused = facts.stated("locked-memory-refused")
    if not refused:
        return
    yield Problem(
        title="WSL limits locked (pinned) host memory: the program asked for more",
        evidence=quoted((*refused, *facts.stated("wsl-named")[:1])),
        remedies=(
            Remedy(
                text="Load data without pinning: DataLoader(..., pin_memory=False), use_pinned_memory=False, or "
                "--no-pinned-memory, as the program calls it.",
                action="env",
            ),
            Remedy(
                text="Give WSL more memory ([wsl2] memory=32GB in %UserProfile%\\.wslconfig), then restart it.",
                command="wsl --shutdown",
                action="env",
            ),
        ),
    )
