"""A GPU that waits for a reset to take a bad memory row out of use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV025", name="gpu-row-remap-pending", layer="hardware", severity="warning")
def gpu_row_remap_pending(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A bad memory row was found; it is replaced at the next reset of the GPU.

    Why it matters   Until then the row is in use and may give further errors.
    What to do       Drain the GPU and reset it.
    Looks at         remap_pending
    Silent when      nothing is pending, or it is not known
    Source           NVIDIA: GPU memory error management, row remapping
    """
    for device in signs.gpus(facts):
        if device.remap_pending:
            yield Problem(
                title=f"{device.id} waits for a reset to remap a bad memory row",
                devices=(device.id,),
                evidence=(Evidence(fact="remap_pending", value="yes"),),
                remedies=(
                    Remedy(
                        text="Stop what uses this GPU and reset it.",
                        command=f"sudo nvidia-smi --gpu-reset -i {device.index}",
                        action="reset",
                    ),
                ),
            )
