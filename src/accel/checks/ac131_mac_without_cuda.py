"""CUDA, or a package of CUDA kernels, asked for on a Mac."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, applies, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


_ATTENTION: Final = ("flash-attn", "xformers", "sageattention", "flashinfer-python")


@check(
    code="AC131",
    name="mac-without-cuda",
    layer="framework",
    reads=(
        *("package-without-macos", "torch-not-compiled-with-cuda", "wheel-build-prepared"),
        "build-isolation-hides-torch",
    ),
    needs=("run.program",),
)
def mac_without_cuda(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program asks for CUDA on a Mac, or pip builds a package that has kernels for CUDA alone.

    Why it matters   No build of torch for macOS holds CUDA: the program stops, and no other install of torch helps.
    What to do       Let the program use "mps" (Apple chips) or "cpu"; leave out packages of CUDA kernels.
    Looks at         torch's "not compiled with CUDA enabled" on macOS; the package that an install command names, and
                     pip's words on its build
    Silent when      the text does not come from a Mac
    Source           PyTorch: MPS backend; the packages' lists of wheels
    """
    packages, asked = facts.stated("package-without-macos"), facts.stated("torch-not-compiled-with-cuda")
    if not (packages or asked):
        return
    applies(facts.host.system == "macos", "this is not a Mac")
    if packages:
        name = packages[0].value("package") or "The package"
        yield Problem(
            title=f"{name} has no build for macOS: its kernels are written for CUDA",
            evidence=quoted(
                (*packages, *facts.stated("wheel-build-prepared"), *facts.stated("build-isolation-hides-torch"))
            ),
            remedies=(
                Remedy(text=_instead_of(name), action="env"),
                Remedy(text="Or run the program on a machine with an NVIDIA GPU.", action="env"),
            ),
        )
        return
    yield Problem(
        title="The program asks for CUDA, and a Mac has none",
        detail="No other install of torch changes that: macOS has no CUDA.",
        evidence=quoted(asked),
        remedies=(
            Remedy(
                text='Give the program the device "mps" on an Apple chip, or "cpu": an option, or the place in its '
                'code that says "cuda". See first whether torch may use the chip.',
                command='python -c "import torch; print(torch.backends.mps.is_available())"',
                action="app",
            ),
        ),
    )


def _instead_of(name: str) -> str:
    if name in _ATTENTION:
        return (
            f"Leave {name} out, and let the program use torch's own attention (scaled_dot_product_attention) or "
            "whatever it offers in its place."
        )
    return (
        f"Leave {name} out on the Mac: take the project's extra or group of packages without CUDA, or give its line in "
        "pyproject.toml or requirements.txt the marker  ; sys_platform != 'darwin'"
    )
