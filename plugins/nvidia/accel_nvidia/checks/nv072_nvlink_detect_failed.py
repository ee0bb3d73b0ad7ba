"""NVLinks of a peer that the driver could not find."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV072",
    name="nvlink-detect-failed",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("nvlink-detect-failed",),
    needs=("nvidia.devices", "source.kernel log"),
    explained_by=("gpu-lost", "nvswitch-fault"),
)
def nvlink_detect_failed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver says, when it starts, that it could not detect the NVLinks of another GPU.

    Why it matters   Peers are then reached over PCIe or not at all; programs over several GPUs fail or crawl.
    What to do       Reboot, best with a cold start; then look at the links and at the board.
    Looks at         the driver's knvlink lines on the detection of links
    Silent when      no such line is there
    Source           open-gpu-kernel-modules: kernel_nvlink
    """
    found = facts.stated("nvlink-detect-failed")
    if found:
        yield Problem(
            title="The driver could not detect the NVLinks of a peer GPU",
            evidence=quoted(found),
            remedies=(
                Remedy(text="Drain the node and reboot it, best with a cold start.", action="reboot"),
                Remedy(
                    text="See which links are down after it.",
                    command="nvidia-smi nvlink --status",
                    action="admin",
                    kind="look",
                ),
                Remedy(text="If the line returns, send the board to service.", action="service", kind="ask"),
            ),
        )
