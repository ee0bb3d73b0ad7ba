"""The virtual GPU of a virtual machine has no licence."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV121",
    name="vgpu-unlicensed",
    layer="driver",
    reads=("vgpu-unlicensed-said", "vgpu-license-refused"),
    needs=(),
)
def vgpu_unlicensed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver of this virtual machine has no licence for its virtual GPU.

    Why it matters   After some minutes without one the driver slows the GPU down step by step, and then refuses CUDA:
                     "all CUDA-capable devices are busy or unavailable".
    What to do       Give the guest its token and a way to the licence server; restart nvidia-gridd.
    Looks at         License Status of nvidia-smi -q; the log of nvidia-gridd
    Silent when      the status is Licensed; a whole GPU is passed through, which needs none
    Source           NVIDIA vGPU: client licensing user guide; enforcement of licences
    """
    refused, bare = facts.stated("vgpu-license-refused"), facts.stated("vgpu-unlicensed-said")
    if not (refused or bare):
        return
    yield Problem(
        title="The virtual GPU has no licence: the driver slows it down and then refuses CUDA",
        evidence=quoted((*bare[:2], *refused[:3]), most=5),
        remedies=(
            Remedy(
                text="See why the client gets none.",
                command="nvidia-smi -q | grep -iA3 license; sudo journalctl -u nvidia-gridd --no-pager | tail -20",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="Put the token of the licence server (DLS or CLS) into /etc/nvidia/ClientConfigToken, readable by "
                "all, set FeatureType in /etc/nvidia/gridd.conf, and restart the client; the guest's clock must be "
                "right and the server reachable on port 443.",
                command="sudo systemctl restart nvidia-gridd && nvidia-smi -q | grep -i 'license status'",
                action="admin",
            ),
        ),
    )
