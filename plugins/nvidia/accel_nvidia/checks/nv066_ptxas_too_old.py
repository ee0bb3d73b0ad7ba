"""A compiler of GPU code that does not know the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel.contract.command import assignment_word, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs


@check(
    code="NV066",
    name="ptxas-too-old",
    layer="toolkit",
    reads=("ptxas-lacks-architecture", "nvcc-lacks-architecture"),
    needs=(),
    requires=("nvcc-torch-cuda-mismatch",),
)
def ptxas_too_old(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The assembler inside Triton (or another program), or the toolkit's nvcc, does not know this GPU.

    Why it matters   torch.compile and Triton's kernels fail, while torch's own kernels run.
    What to do       Point Triton to the ptxas of a CUDA toolkit that knows the GPU, or take a newer Triton with the
                     torch that it belongs to. For nvcc: a newer toolkit, or a list of architectures that it knows.
    Looks at         what ptxas, ptxas-blackwell, LLVM and nvcc say of the architecture or of the PTX version
    Silent when      the binaries of torch themselves lack the GPU: gpu-arch-not-in-build then speaks
    Source           CUDA: ptxas and nvcc; Triton: backends/nvidia/compiler.py
    """
    assembler, nvcc = facts.stated("ptxas-lacks-architecture"), facts.stated("nvcc-lacks-architecture")
    if not assembler and not nvcc:
        return
    told = assembler or nvcc
    target = next((fact.value("target") for fact in told if fact.value("target")), None)
    tool = next((fact.value("assembler") or fact.value("compiler") for fact in told if fact.value("target")), None)
    tool = (tool or ("ptxas" if assembler else "nvcc")).strip("`':").lower()
    yield Problem(
        title=f"{tool} does not know {target or 'this PTX version'}: it is of an older CUDA than the GPU needs",
        evidence=quoted(told),
        remedies=tuple(_of_ptxas(told) if assembler else _of_nvcc()),
    )


def _of_ptxas(told: "tuple[Fact, ...]") -> Iterator[Remedy]:
    variables = ["TRITON_PTXAS_PATH"]
    if any("blackwell" in (fact.value("assembler") or fact.text).lower() for fact in told):
        variables = ["TRITON_PTXAS_BLACKWELL_PATH", "TRITON_PTXAS_PATH"]
    yield Remedy(
        text="Let Triton use the ptxas of the CUDA toolkit that is installed, if that knows the GPU (check: "
        "/usr/local/cuda/bin/ptxas --help lists it under --gpu-name).",
        command=command_line("export", *(assignment_word(name, "/usr/local/cuda/bin/ptxas") for name in variables)),
    )
    yield Remedy(text="Or install a newer Triton, with the torch that it belongs to.")


def _of_nvcc() -> Iterator[Remedy]:
    yield Remedy(
        text="Compile with a CUDA toolkit that knows the GPU: the one of torch's own CUDA version where that does "
        "(CUDA_HOME names it)."
    )
    yield Remedy(text="Or leave the architecture out of TORCH_CUDA_ARCH_LIST, if the program needs no code for it.")
