from collections.abc import Iterator
from typing import Final

from accel.checks.nodes import said_unlike
from accel.facts.nodes import nodes_of, unlike
from accel.facts.questions import Facts
from accel.model.observation import Limit, Noted
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check

_JOB: Final = ("NCCL_", "GLOO_", "UCX_", "HCCL_", "RCCL_", "OMP_NUM_THREADS", "PYTORCH_", "LD_LIBRARY_PATH", "FI_")
_OWN: Final = ("NCCL_HOSTID", "NCCL_COMM_ID")  # legitimately different on each machine


@check(code="AC332", name="nodes-settings-unlike", layer="access", severity="warning", family="nodes-unlike")
def nodes_settings_unlike(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A few machines have other job variables, kernel settings or limits than the rest.

    Why it matters   Ranks with other settings choose other algorithms, interfaces or protocols: the job hangs, or is as
                     slow as the slowest.
    What to do       Give the odd ones the settings of the others; let the launcher pass the variables.
    Looks at         each machine's variables of NCCL, RCCL, HCCL, Gloo, UCX and libfabric, of torch and OpenMP; its
                     kernel settings; its limits
    Silent when      fewer than three machines are reported, or all are equal; two saved snapshots are compared, as
                     information
    Source           the comparison of nodes in cluster health checks (imbue-ai/cluster-health)
    """
    remedy = Remedy(
        text="Set the deviating ones like the others; let the launcher pass a job's variables.", action="env"
    )
    yield from said_unlike(unlike(nodes_of(facts), _settings), remedy)


def _settings(facts: Facts) -> dict[str, str]:
    told = {
        name: value for name, value in facts.environment.variables or () if name.startswith(_JOB) and name not in _OWN
    }
    for one in facts.snapshot.observations:
        if isinstance(one, Noted) and one.fact == "kernel-settings":
            told |= {f"The kernel's {name}": value for name, value in one.values}
        elif isinstance(one, Limit):
            told.setdefault(f"The limit {one.resource}", "unlimited" if one.value is None else str(one.value))
    return told
