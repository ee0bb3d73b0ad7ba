"""MPS ran out of the memory that it may take."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AP002",
    name="mps-out-of-memory",
    layer="application",
    reads=("mps-out-of-memory",),
    requires=("mps-not-available",),
    needs=("run.program",),
)
def mps_out_of_memory(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """PyTorch's allocator reached its limit of the Mac's shared memory.

    Why it matters   The limit is a share of all memory; other programs' memory counts against it.
    What to do       Use a smaller batch or model, or fewer bits; close other programs. Lifting the limit may freeze
                     the Mac.
    Looks at         "MPS backend out of memory (MPS allocated: … max allowed: …)"
    Silent when      it was not said
    Source           PyTorch: aten/src/ATen/mps/MPSAllocator.mm
    """
    said = facts.stated("mps-out-of-memory")
    if not said:
        return
    told = next((fact for fact in said if fact.value("allowed")), said[0])
    allowed, held = told.value("allowed"), told.value("allocated")
    figures = f": {held} GB held of {allowed} GB allowed" if allowed and held else ""
    yield Problem(
        title=f"MPS ran out of memory{figures}",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted([told]),
        remedies=(
            Remedy(
                text="Use a smaller batch; see what else holds memory.",
                command="top -l 1 -o mem -n 10",
                action="app",
            ),
            Remedy(
                text="Lift the limit, at the risk that the machine freezes.",
                command="PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 python3 PROGRAM.py",
                action="env",
            ),
        ),
    )
