"""An extension is to be compiled where no CUDA toolkit is."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check, quoted
from accel.contract.command import assignment_word, command_line, version_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV061",
    name="nvcc-missing",
    layer="toolkit",
    severity="warning",
    reads=("nvcc-missing",),
    needs=("run.build",),
    explained_by=("torch-cpu-build-on-gpu-machine", "nvcc-torch-cuda-mismatch"),
)
def nvcc_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An extension is to be compiled, and no CUDA toolkit is found. The driver and torch's wheels contain no compiler.

    Why it matters   The extension cannot be built; torch itself runs without a toolkit.
    What to do       Install a ready-made wheel of the extension, or the toolkit of torch's CUDA version.
    Looks at         what torch's extension builder and the packages' build scripts say
    Silent when      nothing is being compiled; the machine's GPUs are AMD's, and a program tried both makers' compilers
    Source           PyTorch: torch/utils/cpp_extension.py
    """
    events = facts.stated("nvcc-missing")
    if not events:
        return
    applies(bool(facts.of("nvidia")) or not facts.of("amd"), "the machine's GPUs are AMD's")
    torch = facts.framework("torch")
    version = torch.cuda_version if torch is not None else None
    yield Problem(
        title="No CUDA toolkit is found to compile an extension with",
        evidence=quoted(events),
        remedies=(
            Remedy(text="Prefer a wheel of the extension that was built for this torch, CUDA and Python."),
            Remedy(
                text=f"Or install the toolkit of CUDA {version or 'that torch.version.cuda prints'} and name it.",
                command=command_line("export", assignment_word("CUDA_HOME", f"/usr/local/cuda-{version}"))
                if version_word(version)
                else None,
                action="admin",
            ),
        ),
    )
