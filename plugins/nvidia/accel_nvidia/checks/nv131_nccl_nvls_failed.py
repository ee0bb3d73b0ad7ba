"""NCCL cannot reduce in the NVSwitches (NVLS)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV131",
    name="nccl-nvls-failed",
    layer="driver",
    family="nccl-problem",
    reads=("nvls-failed",),
    needs=("run.program",),
    requires=("fabric-manager-version-mismatch", "fabric-manager-not-running"),
)
def nccl_nvls_failed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """NCCL could not make or bind the multicast memory with which NVSwitches add up data (NVLS).

    Why it matters   The communicator is not made; all else of the GPUs may be right.
    What to do       Where the fabric manager was restarted, reset the GPUs or reboot; until then do without NVLS.
    Looks at         warnings of NCCL's transport/nvls.cc
    Silent when      the fabric manager is known to be down or of another version
    Source           NCCL user guide: NCCL_NVLS_ENABLE; Fabric Manager user guide: restart
    """
    failed = facts.stated("nvls-failed")
    if not failed:
        return
    yield Problem(
        title="NCCL cannot use the NVSwitches' own reduction (NVLS): the fabric does not give it multicast memory",
        evidence=quoted(failed[:3]),
        remedies=(
            Remedy(
                text="See the fabric manager and the fabric's state; it must be Completed, Success, on every GPU.",
                command="systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A3 -i fabric",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="If the fabric manager was stopped or restarted under running GPUs: end all programs, reset all "
                "GPUs at once, or reboot.",
                command="sudo nvidia-smi --gpu-reset",
                action="reset",
            ),
            Remedy(
                text="Until then, or where a machine or container is given only some of the GPUs: go without.",
                command="export NCCL_NVLS_ENABLE=0",
                action="env",
            ),
        ),
    )
