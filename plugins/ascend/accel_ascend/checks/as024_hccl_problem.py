"""Ranks of a distributed job do not reach each other."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(
    code="AS024",
    name="npu-hccl-problem",
    layer="application",
    explained_by=("npu-unhealthy", "npu-lost-card", "npu-memory-taken"),
)
def npu_hccl_problem(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Ranks of a distributed job do not reach each other.

    Why it matters   The job stops after a timeout, and the rank that says so is seldom the one at fault.
    What to do       Find the rank that failed first; see the links between chips; allow more time to connect.
    Looks at         what HCCL says: EI0006, EI0002, ports
    Silent when      nothing of the kind was said
    Source           Ascend/pytorch docs HCCL_timeout; mind-cluster AISW_CANN_HCCL_003
    """
    only_on_ascend(facts)
    events = facts.events("hccl-connect-timeout", "hccl-notify-timeout", "hccl-port-taken")
    if not events:
        return
    port = any(event.name == "hccl-port-taken" for event in events)
    yield Problem(
        title="HCCL's port is taken by another job" if port else "Ranks did not reach each other in time",
        evidence=tuple(said(event) for event in events[:5]),
        remedies=(Remedy(text="Give this job ports of its own", command="export HCCL_HOST_SOCKET_PORT_RANGE=auto"),)
        if port
        else (
            Remedy(
                text="Find the first error of any rank in its log",
                command="grep -rl ERROR ~/ascend/log/debug/plog | xargs ls -tr | head",
            ),
            Remedy(text="See whether the links are up", command="hccn_tool -i 0 -link -g", action="admin"),
            Remedy(text="Allow late ranks more time", command="export HCCL_CONNECT_TIMEOUT=600"),
        ),
    )
