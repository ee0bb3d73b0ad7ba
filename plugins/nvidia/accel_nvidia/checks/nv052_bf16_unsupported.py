from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia.architecture_fit import capabilities, capability_of


@check(
    code="NV052",
    name="bf16-unsupported",
    layer="application",
    reads=("bf16-unsupported",),
    needs=("run.program",),
    requires=("cuda-torch-on-amd-machine", "rocm-arch-unsupported"),
    explained_by=(
        "driver-too-old",
        "driver-library-mismatch",
        "driver-not-loaded",
        "device-permission",
        "fabric-manager-not-running",
        "container-without-gpu",
        "container-lost-gpu",
        "wsl-driver-libs",
        "devices-hidden",
        "torch-cpu-build-on-gpu-machine",
        "gpu-arch-not-in-build",
    ),
)
def bf16_unsupported(facts: Facts, specs: Specs) -> Problems:
    """A program requests bfloat16 (or TF32), which needs compute capability 8.0.

    Why it matters   The program refuses to start; the GPU and its driver are fine.
    What to do       Use float16 instead, or an Ampere or newer GPU.
    Looks at         messages of vLLM, Transformers, Accelerate, DeepSpeed and PyTorch; the GPUs' compute capability
    Silent when      no program requested it; every GPU is 8.0 or newer (the message then means that no GPU was found,
                     which other checks explain: undecided)
    Source           CUDA programming guide: arithmetic by compute capability; Transformers: training arguments
    """
    asked = facts.stated("bf16-unsupported")
    if not asked:
        return
    told = [n for e in asked if (n := capability_of(e.value("capability") or ""))]
    known = told or [n for c in capabilities(facts, specs) or () if (n := capability_of(c))]
    if known and min(known) >= (8, 0):
        need(None, "why PyTorch sees no bfloat16 on a GPU that supports it: whether it sees the GPU at all")
    name = next((d.name for d in facts.of("nvidia") if d.name), None) or "this GPU"
    yield Problem(
        title=f"The program requests bfloat16 (or TF32), which {name} does not support",
        detail="bfloat16 and TF32 need compute capability 8.0 (Ampere) or newer.",
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=quoted(asked),
        remedies=fixes(specs, "nvidia", "float16-in-vllm" if facts.mentions("vllm") else "float16"),
    )
