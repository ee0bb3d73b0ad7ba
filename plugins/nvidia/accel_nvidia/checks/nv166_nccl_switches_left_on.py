"""Ways of NCCL's that are switched off by variables."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, check
from accel_nvidia.left_on import left_on

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV166",
    name="nccl-switches-left-on",
    layer="application",
    severity="info",
    needs=("nvidia.devices", "environment.variables"),
    asks=("environment.variables",),
)
def nccl_switches_left_on(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A variable that goes around a fault of NCCL's, or makes it write much, is set and costs speed.

    Why it matters   NCCL_P2P_DISABLE, NCCL_SHM_DISABLE and NCCL_IB_DISABLE make collectives many times slower.
    What to do       Unset them, and see whether the fault that they went around is still there.
    Looks at         the variables of specs/nvidia/nccl_switches.yaml
    Silent when      none is set, or to a value that does nothing
    Source           NCCL user guide: environment variables
    """
    text = "Unset it, unless the fault that it goes around is still there."
    yield from left_on("nvidia/nccl_switches", text, facts, specs)
