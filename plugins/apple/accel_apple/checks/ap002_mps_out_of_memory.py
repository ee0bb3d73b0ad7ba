import re
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted

_METAL: Final = pattern(r"\[metal|kIOGPU", re.IGNORECASE)  # MLX and ggml; torch's allocator has its own limit
_BY_TORCH: Final = (
    Remedy(
        text="Use less memory at once: half precision (float16), smaller images or shorter sequences, a smaller "
        "batch, a smaller model; image programs have options for it (--medvram, --lowvram). Close other "
        "programs that use memory.",
        action="app",
    ),
    Remedy(text="Check what else uses memory.", command="top -l 1 -o mem -n 10", action="app", kind="look"),
    Remedy(
        text="Remove the limit, at the risk that the machine freezes.",
        command="PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 python3 PROGRAM.py",
        action="env",
    ),
)
_BY_METAL: Final = (
    Remedy(
        text="Use less memory at once: a shorter prompt or context, smaller steps, fewer models in memory, a "
        "smaller cache, or a model with fewer bits; check what else uses memory.",
        command="top -l 1 -o mem -n 10",
        action="app",
    ),
    Remedy(
        text="Check how much memory the GPU may use (0: about two thirds to three quarters); an administrator "
        "may raise it until the next restart, leaving a few GB for the system.",
        command="sysctl iogpu.wired_limit_mb hw.memsize",
        action="admin",
        kind="look",
    ),
)


@check(
    code="AP002",
    name="mps-out-of-memory",
    layer="application",
    reads=("mps-out-of-memory",),
    requires=("mps-not-available",),
    needs=("run.program",),
)
def mps_out_of_memory(facts: Facts, specs: Specs) -> Problems:
    """PyTorch's allocator, or Metal for another program, reached its limit of the Mac's shared memory.

    Why it matters   The limit is a share of all memory; other programs' memory counts against it.
    What to do       Use a smaller batch or model, or quantization; close other programs. No limit may freeze the Mac.
    Looks at         "MPS backend out of memory (MPS allocated: … max allowed: …)"
    Silent when      there is no such message
    Source           PyTorch: aten/src/ATen/mps/MPSAllocator.mm
    """
    said = facts.stated("mps-out-of-memory")
    if not said:
        return
    told = next((fact for fact in said if fact.value("allowed")), said[0])
    allowed, held = told.value("allowed"), told.value("allocated")
    figures = f": {held} GB used of {allowed} GB allowed" if allowed and held else ""
    by_metal = all(_METAL.search(fact.text) for fact in said)
    yield Problem(
        title="Metal ran out of the memory that the GPU may use" if by_metal else f"MPS ran out of memory{figures}",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted([told]),
        remedies=_BY_METAL if by_metal else _BY_TORCH,
    )
