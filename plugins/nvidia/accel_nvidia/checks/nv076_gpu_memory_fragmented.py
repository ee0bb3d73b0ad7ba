"""GPU memory that would do, and lies in pieces."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import assignment_word, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs


@check(
    code="NV076",
    name="gpu-memory-fragmented",
    layer="framework",
    reads=("memory-in-pieces", "segments-are-the-cure"),
    needs=("run.program",),
)
def gpu_memory_fragmented(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An allocation fails although free and cached memory together would do: it lies in pieces.

    Why it matters   The model fits, and yet it does not: smaller batches only hide it.
    What to do       Let PyTorch grow its segments, or keep large ones from being split.
    Looks at         what was asked for against free plus reserved and unallocated memory; a snapshot's segments of
                     which a small part is used; a failure that segments which can grow cured
    Silent when      more was asked for than both together: then it is too big. That every message recommends it says
                     nothing
    Source           PyTorch: c10/cuda/CUDACachingAllocator.cpp; CUDA semantics, memory management
    """
    found = facts.stated("memory-in-pieces") or facts.stated("segments-are-the-cure")
    if not found:
        return
    figures = {key: size / (1 << 30) for key, _ in found[0].values if (size := found[0].number(key)) is not None}
    told = {"tried", "free", "unallocated"} <= set(figures)
    yield Problem(
        title=(
            f"{figures['tried']:.2f} GiB do not fit into {figures['free']:.2f} GiB free and "
            f"{figures['unallocated']:.2f} GiB cached: GPU memory is fragmented"
            if told
            else "GPU memory is fragmented: with expandable segments the program fits"
            if found[0].name == "segments-are-the-cure"
            else "Only a small part of a large cached segment is in use: GPU memory is fragmented"
        ),
        evidence=quoted(found),
        remedies=(
            Remedy(
                text="Start the program with expandable segments (Linux; torch 2.1 or later).",
                command=command_line("export", assignment_word(_variable(found), "expandable_segments:True")),
                action="env",
            ),
            Remedy(
                text="Otherwise, keep large blocks from being split, or allocate the largest tensor first.",
                command=command_line("export", assignment_word(_variable(found), "max_split_size_mb:512")),
                action="app",
            ),
        ),
    )


def _variable(found: "tuple[Fact, ...]") -> str:
    """Return the allocator's variable as torch's own advice names it, which differs by release and build."""
    names = ("PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
    return next((name for name in names if any(name in fact.text for fact in found)), "PYTORCH_CUDA_ALLOC_CONF")
