"""A program ran out of a chip's memory, most of which others hold."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check, need
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS012", name="npu-memory-taken", layer="access", family="gpu-memory-taken-by-other-process")
def npu_memory_taken(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program ran out of a chip's memory, most of which others hold.

    Why it matters   Allocating less does not help: what another process holds must be freed.
    What to do       Find the processes of the chip and stop those that are left over.
    Looks at         torch_npu's out-of-memory message: what of the total this process held itself
    Silent when      the process held at least half of the chip itself, or nothing ran out of memory
    Source           torch_npu NPUCachingAllocator; github.com/Ascend/pytorch/issues/166
    """
    only_on_ascend(facts)
    for event in facts.events("npu-out-of-memory"):
        total = need(_gibibytes(event.value("total")), "the chip's memory")
        own = need(_gibibytes(event.value("allocated")), "what the process held")
        if own >= total / 2:
            continue
        npu = event.value("npu")
        yield Problem(
            title=f"NPU {npu} ran out of memory, of which this process held {own:.1f} of {total:.1f} GiB",
            evidence=(said(event),),
            remedies=(
                Remedy(text="See who holds the chip's memory, on the host", command="npu-smi info"),
                Remedy(text="Stop what is left over of an earlier job", command="kill <pid>", action="app"),
            ),
        )


def _gibibytes(text: str | None) -> float | None:
    """Return the GiB of "60.97 GiB" or "512.00 MiB"; None of anything else."""
    number, _, unit = (text or "").partition(" ")
    factor = {"KiB": 2**-20, "MiB": 2**-10, "GiB": 1.0, "TiB": 1024.0}.get(unit)
    try:
        return float(number) * factor if factor is not None else None
    except ValueError:
        return None
