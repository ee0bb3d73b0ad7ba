"""A program finds MPS configured and cannot become its client."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel.facts.containers import in_container
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV124",
    name="mps-unreachable",
    layer="access",
    reads=("mps-unreachable-said", *around.AROUND),
    needs=("run.program",),
)
def mps_unreachable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program is meant to share the GPU through MPS, and does not reach the daemon or its server.

    Why it matters   CUDA does not start at all: errors 805, 806 and 807 are not passed over.
    What to do       Start the daemon as the same user; share its pipe directory, the IPC namespace and the user id with
                     a container; or unset the variables and compute without MPS.
    Looks at         errors 805, 806 and 807
    Silent when      MPS has no part in it
    Source           NVIDIA: Multi-Process Service; CUDA driver API: CUDA_ERROR_MPS_CONNECTION_FAILED
    """
    said = facts.stated("mps-unreachable-said")
    if not said:
        return
    start = Remedy(
        text="See whether the daemon runs, as whom, and what it logs; start it as the user of the program.",
        command="pgrep -af nvidia-cuda-mps; echo $CUDA_MPS_PIPE_DIRECTORY; tail /var/log/nvidia-mps/control.log",
        action="env",
    )
    share = Remedy(
        text="In a container: hand over the daemon's pipe directory, the host's IPC namespace and the same user id; a "
        "daemon on the host is not seen otherwise.",
        command="docker run --gpus all --ipc=host -e CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps "
        "-v /tmp/nvidia-mps:/tmp/nvidia-mps IMAGE",
        action="env",
    )
    without = Remedy(
        text="Or do without MPS: end the daemon, and unset its variable.",
        command="echo quit | nvidia-cuda-mps-control; unset CUDA_MPS_PIPE_DIRECTORY",
        action="admin",
    )
    yield Problem(
        title="The program does not reach the MPS daemon through which it is to share the GPU",
        evidence=quoted(said[:3]),
        remedies=(share, start, without) if in_container(facts) else (start, share, without),
    )
