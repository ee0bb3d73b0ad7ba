from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.programs import NAMED, program_of, release_for
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted

_CUDA: Final = ("cuda", "cublas", "cudnn")  # things that a build is said to lack
_ATTENTION: Final = ("flash-attn", "xformers", "sageattention", "flashinfer-python")
_ON_INTEL: Final = Remedy(
    text='Set the program\'s device to "cpu": an option, or the place in its code that says "cuda". This Mac '
    "has an Intel processor, for which no torch build uses the GPU.",
    command="python -c \"import torch; print(torch.ones(1, device='cpu'))\"",
    action="app",
)


@check(
    code="AC131",
    name="mac-without-cuda",
    layer="framework",
    reads=(
        *("package-without-macos", "torch-not-compiled-with-cuda", "torch-takes-no-gpu", "wheel-build-prepared"),
        *("build-isolation-hides-torch", "feature-not-in-build", "library-not-found", "mac-of-intel", NAMED),
    ),
    needs=("run.program",),
)
def mac_without_cuda(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program requests CUDA on a Mac, or pip builds a package that only has CUDA kernels.

    Why it matters   No build of torch for macOS includes CUDA: the program stops, and no other install of torch helps.
    What to do       Let the program use "mps" (Apple chips) or "cpu"; omit packages of CUDA kernels.
    Looks at         torch's "not compiled with CUDA enabled" on macOS, and similar messages of other programs; searches
                     for CUDA's libraries as libcuda.dylib; the package whose kernels do not load or that an install
                     command names, and pip's messages about its build
    Silent when      the text does not come from a Mac
    Source           PyTorch: MPS backend; the packages' lists of wheels
    """
    packages, of_torch = facts.stated("package-without-macos"), facts.stated("torch-not-compiled-with-cuda")
    of_torch = of_torch or (facts.stated("torch-takes-no-gpu") if facts.host.system == "macos" else ())
    asked = (*of_torch, *_asked_of_others(facts))
    if not (packages or asked):
        return
    applies(facts.host.system == "macos", "this is not a Mac")
    if packages:
        name = packages[0].value("package") or "The package"
        yield Problem(
            title=f"{name} has no macOS build: its kernels are written for CUDA",
            evidence=quoted(
                (*packages, *facts.stated("wheel-build-prepared"), *facts.stated("build-isolation-hides-torch"))
            ),
            remedies=(
                Remedy(text=_instead_of(name), action="env"),
                Remedy(text="Or run the program on a machine with an NVIDIA GPU.", action="env"),
            ),
        )
        return
    program = program_of(facts, specs, asked)
    own = release_for(facts, program, "apple", None, None) if program is not None and not of_torch else None
    if not of_torch:
        yield Problem(
            title="The program requests CUDA, but a Mac has none",
            detail="No build and no driver changes that: macOS has had no CUDA since 10.14.",
            evidence=quoted(asked),
            remedies=(
                *((own,) if own is not None else ()),
                Remedy(
                    text='Set the program\'s device to "cpu", or to "mps" or "metal" if it supports that: '
                    'an option, or the place in its code that says "cuda"; use the language\'s package for '
                    "Apple GPUs (Metal.jl, MLX) instead of CUDA's.",
                    action="app",
                ),
                Remedy(text="Or run the program on a machine with an NVIDIA GPU.", action="env"),
            ),
        )
        return
    yield Problem(
        title="The program requests CUDA, but a Mac has none",
        detail="No other torch installation changes that: macOS has no CUDA.",
        evidence=quoted(of_torch),
        remedies=(
            _ON_INTEL
            if facts.stated("mac-of-intel")
            else Remedy(
                text='Set the program\'s device to "mps" on an Apple chip, or to "cpu": an option, or the '
                'place in its code that says "cuda". First check whether torch can use the chip.',
                command='python -c "import torch; print(torch.backends.mps.is_available())"',
                action="app",
            ),
        ),
    )


def _asked_of_others(facts: Facts) -> Iterator[Fact]:
    """Yield programs other than torch that say they lack CUDA, or look for the driver's macOS library."""
    for fact in facts.stated("feature-not-in-build"):
        if (fact.value("feature") or "").lower() in _CUDA:
            yield fact
    for fact in facts.stated("library-not-found"):
        if (fact.value("name") or "").rsplit("/", 1)[-1] == "libcuda.dylib":
            yield fact


def _instead_of(name: str) -> str:
    if name in _ATTENTION:
        return (
            f"Leave {name} out, and let the program use torch's own attention (scaled_dot_product_attention) or "
            "whatever alternative it offers."
        )
    return (
        f"Leave {name} out on the Mac: use the project's extra or dependency group without CUDA, or give its "
        "line in pyproject.toml or requirements.txt the marker  ; sys_platform != 'darwin'"
    )
