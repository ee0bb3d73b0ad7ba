from typing import Final

from accel.resolver.torch_here import torch_here
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import assignment_word, chained, command_line, path_before
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia.around import on_jetson
from accel_nvidia.toolkit_install import toolkit_of_torch

_IN_TOOLKIT: Final = "/usr/local/cuda/bin/nvcc"
_OF_PYTHON: Final = (
    *("torch", "pip ", "setup.py", "wheel", "flash", "mamba", "deepspeed", "apex", "cuda_home", "-packages/"),
    *("vllm", "sglang", "xinference", "sageattention", "transformer engine", "megatron"),
)


@check(
    code="NV061",
    name="nvcc-missing",
    layer="toolkit",
    severity="warning",
    reads=("nvcc-missing", "torch-build-asked", "compiler-shown", "shared-memory-machine"),
    needs=("run.build",),
    requires=("toolkit-home-wrong",),
    explained_by=("torch-cpu-build-on-gpu-machine", "nvcc-torch-cuda-mismatch"),
)
def nvcc_missing(facts: Facts, specs: Specs) -> Problems:
    """An extension has to be compiled, but no CUDA toolkit is found. The driver and torch's wheels include no compiler.

    Why it matters   The extension cannot be built; torch itself runs without a toolkit.
    What to do       Install a prebuilt wheel of the extension, or the toolkit of torch's CUDA version.
    Looks at         messages of torch's extension builder and of the packages' build scripts
    Silent when      nothing is being compiled; all GPUs are AMD's and both compilers were tried; torch is a ROCm build
    Source           PyTorch: torch/utils/cpp_extension.py
    """
    events = facts.stated("nvcc-missing")
    if not events:
        return
    applies(bool(facts.of("nvidia")) or not facts.of("amd"), "the machine's GPUs are from AMD")
    torch = facts.framework("torch")
    applies(torch is None or torch.built_for != "rocm", "torch is a ROCm build: CUDA's compiler would not help")
    asked = facts.first("torch-build-asked")
    version = (torch.cuda_version if torch is not None else None) or (asked.value("cuda") if asked else None)
    version = version or next((p.version for p in facts.packages("pytorch-cuda", "cuda-version")), None)
    if version is None and (label := torch_here(facts, specs).label or "").startswith("cu1"):
        version = f"{label[2:4]}.{label[4:]}"
    lines = [one.text.lower() for one in facts.snapshot.observations] + [one.text.lower() for one in events]
    of_torch = version is not None or any(word in line for line in lines for word in _OF_PYTHON)
    wheel = Remedy(text="Or use a wheel of the extension that was built for this torch, CUDA and Python.")
    yield Problem(
        title=f"No CUDA toolkit was found to compile {'an extension' if of_torch else 'the program'} with",
        evidence=quoted(events),
        remedies=(
            *_shown(facts),
            *((toolkit_of_torch(facts, specs, version), wheel) if of_torch else ()),
            *(() if of_torch or any(_IN_TOOLKIT in line for line in lines) else (_of_board(facts),)),
            *(() if of_torch else fixes(specs, "nvidia", "toolkit-of-distribution")),
        ),
    )


def _of_board(facts: Facts) -> Remedy:
    """Return how to put an installed compiler on PATH: the toolkit's folder is not there by default."""
    whose = "JetPack puts" if on_jetson(facts) else "NVIDIA's packages put"
    return Remedy(
        text=f"{whose} nvcc into /usr/local/cuda/bin, which is not on PATH by default: add it in the shell that "
        "compiles, and start the build again.",
        command="export PATH=/usr/local/cuda/bin:$PATH && nvcc --version",
        action="env",
    )


def _shown(facts: Facts) -> tuple[Remedy, ...]:
    """Return how to use the nvcc in the folder that a listing shows."""
    folder = next((at for fact in facts.stated("compiler-shown") if (at := fact.value("folder"))), None)
    home = assignment_word("CUDA_HOME", (folder or "").removesuffix("/bin"))
    path = path_before("PATH", folder)
    if path is None:
        return ()
    command = chained(command_line("export", home), command_line("export", path))
    return (Remedy(text=f"nvcc is in {folder}, which is not on PATH: put it there.", command=command, action="env"),)
