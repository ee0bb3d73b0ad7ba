"""The NVIDIA driver on a machine whose GPU is of another maker."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV150",
    name="nvidia-driver-without-gpu",
    layer="driver",
    severity="info",
    reads=("driver-probed-nothing", "nvidia-gpu-named", *around.AMD),
    needs=("use.torch|jax|tensorflow",),
)
def nvidia_driver_without_gpu(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The NVIDIA module was loaded and finds no GPU, on a machine whose GPU is AMD's.

    Why it matters   It does not: the module says at each start that it has nothing to do.
    What to do       Remove the driver's packages, if the lines are in the way.
    Looks at         "No NVIDIA graphics adapter found" and its like, beside a GPU of AMD's
    Silent when      an NVIDIA GPU is listed or named: then it is lost, or another driver holds it
    Source           NVIDIA driver: messages of its module
    """
    found = facts.stated("driver-probed-nothing")
    if not found or not around.amd_seen(facts) or around.nvidia_seen(facts):
        return
    yield Problem(
        title="The NVIDIA driver is installed, and this machine's GPU is AMD's: its messages do no harm",
        evidence=quoted(found[:3]),
        remedies=(
            Remedy(
                text="Where none of the cards is NVIDIA's, remove its driver.",
                command="lspci -nn | grep -E 'VGA|3D|Display'; sudo apt purge 'nvidia-driver*' 'nvidia-dkms*'",
                action="admin",
            ),
        ),
    )
