"""A GPU on which different programs fail in the same place."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel_nvidia import xid

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV070",
    name="gpu-suspected-defective",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("xid-one-unit",),
    needs=("nvidia.devices", "source.kernel log"),
)
def gpu_suspected_defective(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Codes that are mostly a program's fault (Xid 13, 31) come from one unit of one GPU, whatever program runs.

    Why it matters   The program is searched for a bug that it does not have.
    What to do       Run the same job on another GPU, and DCGM's diagnosis on this one; then service.
    Looks at         address, unit and process of each Xid 13 and 31; whether the job works on all other GPUs
    Silent when      there are fewer than three processes, or the units differ: one line never shows it
    Source           NVIDIA: Xid errors, on 13 and 31
    """
    found = facts.stated("xid-one-unit")
    if found:
        unit = found[0].value("unit")
        processes = len({fact.value("pid") for fact in found})
        yield Problem(
            title=f"{processes} processes failed on one GPU{xid.where(found)}" + (f", all in {unit}" if unit else ""),
            devices=xid.gpus_at(facts, found),
            evidence=quoted(found),
            remedies=(
                Remedy(
                    text="If the same job works on another GPU: take this one out of service and have it "
                    "replaced; include this log.",
                    command="sudo nvidia-bug-report.sh",
                    action="service",
                    kind="ask",
                ),
                Remedy(
                    text="Test it first, with nothing else running on it.",
                    command="dcgmi diag -r 3",
                    action="admin",
                    kind="look",
                ),
            ),
        )
