"""A GPU whose bad memory can no longer be taken out of use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV024", name="gpu-row-remap-failed", layer="hardware", family="gpu-hardware-fault")
def gpu_row_remap_failed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Remapping a bad memory row failed: the GPU has no spare row left for it.

    Why it matters   The bad row stays in use; errors will return.
    What to do       Reset once; if the flag stays, the board is to be replaced.
    Looks at         remap_failed
    Silent when      the flag is not set or not known
    Source           NVIDIA: GPU memory error management, row remapping
    """
    for device in signs.gpus(facts):
        if device.remap_failed:
            yield Problem(
                title=f"{device.id} could not remap a bad memory row",
                devices=(device.id,),
                evidence=(Evidence(fact="remap_failed", value="yes"),),
                remedies=(
                    Remedy(
                        text="Collect the report and send the board to service.",
                        command="sudo nvidia-bug-report.sh",
                        action="service",
                    ),
                ),
            )
