"""A call of NCCL to the operating system failed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV057",
    name="nccl-system-error",
    layer="framework",
    family="nccl-problem",
    reads=("nccl-system-error",),
    needs=("run.program",),
    requires=(
        *("nccl-shm-too-small", "nccl-version-mismatch", "nccl-set-up-wrong", "memlock-too-low", "shm-too-small"),
        *("too-many-open-files", "thread-limit-reached", "pcie-acs-breaks-p2p", "iommu-breaks-p2p", "gpu-without-p2p"),
        *("nccl-ib-not-used", "gpudirect-rdma-off", "nccl-rdma-unreachable", "nccl-peer-unreachable"),
        *("libfabric-without-provider", "gpu-memory-not-registered"),
    ),
    explained_by=("gpu-hardware-fault", "driver-too-old", "fabric-manager-not-running", "device-permission"),
)
def nccl_system_error(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A call of NCCL to the operating system failed, and nothing in the text says which.

    Why it matters   The job stops; the cause is mostly the size of /dev/shm, a socket, or locked memory.
    What to do       Run again with NCCL_DEBUG=INFO: the line above the error names the call.
    Looks at         "unhandled system error", ncclSystemError
    Silent when      a more telling NCCL sentence is there: then the check of that fault speaks
    Source           NCCL user guide: error codes
    """
    events = facts.stated("nccl-system-error")
    if events:
        remedies = (
            Remedy(
                text="Read the line above the error, of a run in which NCCL says more.",
                command="export NCCL_DEBUG=INFO",
                action="app",
                kind="look",
            ),
            Remedy(
                text="If the line does not tell: leave out what it may fail over, one after the other. Where it runs "
                "without one (the RDMA card, peer transfers, shared memory), that is what to mend.",
                command="export NCCL_IB_DISABLE=1; export NCCL_P2P_DISABLE=1; export NCCL_SHM_DISABLE=1",
                action="env",
            ),
        )
        yield Problem(
            title="A system call of NCCL failed; the text does not say which",
            evidence=quoted(events),
            remedies=remedies,
        )
