from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, command_line


@check(
    code="NV076",
    name="gpu-memory-fragmented",
    layer="framework",
    reads=("memory-in-pieces", "segments-are-the-cure"),
    needs=("run.program",),
)
def gpu_memory_fragmented(facts: Facts, specs: Specs) -> Problems:
    """An allocation fails although free and cached memory together would suffice: the memory is fragmented.

    Why it matters   The model would fit; smaller batches only hide the problem.
    What to do       Let PyTorch use expandable segments, or prevent it from splitting large blocks.
    Looks at         the requested size against free plus reserved but unallocated memory; segments of a snapshot that
                     are mostly unused; a failure that expandable segments fixed
    Silent when      the request exceeds both together. PyTorch's advice is no sign, since every message has it
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


def _variable(found: tuple[Fact, ...]) -> str:
    """Return the allocator's environment variable as torch's message names it; it depends on release and build."""
    names = ("PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
    return next((name for name in names if any(name in fact.text for fact in found)), "PYTORCH_CUDA_ALLOC_CONF")
