"""Banks of a GPU's memory whose spare rows are used up."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV168",
    name="gpu-spare-rows-used-up",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("gpu-spare-rows",),
    needs=("fact.gpu-spare-rows.none",),
    explained_by=("gpu-row-remap-failed",),
)
def gpu_spare_rows_used_up(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A bank of a GPU's memory has no spare rows left, or few: the next bad row of it cannot be replaced.

    Why it matters   The memory is right as long as no further row fails; then the board is due for service at once.
    What to do       Plan its service; move long jobs elsewhere.
    Looks at         the histogram of banks by their spare rows, as nvidia-smi -q -d ROW_REMAPPER prints it
    Silent when      every bank has spare rows, or the histogram is not printed
    Source           NVIDIA: GPU memory error management, row remapping
    """
    for fact in facts.stated("gpu-spare-rows"):
        none, low = fact.number("none") or 0, fact.number("low") or 0
        if none or low:
            yield Problem(
                title=f"Banks of a GPU's memory have no spare rows left: {none}"
                if none
                else f"Banks of a GPU's memory have few spare rows left: {low}",
                severity=None if none else "info",
                devices=(fact.device,) if fact.device else (),
                evidence=quoted([fact]),
                remedies=(
                    Remedy(text="Plan the board's service, and keep its row counts for the request.", action="service"),
                ),
            )
