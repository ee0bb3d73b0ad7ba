"""PTX that is newer than the driver: which CUDA compiled it, and which driver or which compiler puts it right. Pure.

Minor-version compatibility does not cover PTX: what a compiler of CUDA 12.6 wrote needs a driver of 12.6, though
machine code of the same CUDA runs on every driver of CUDA 12.
"""

from typing import TYPE_CHECKING, Final

from accel.contract.check import Remedy
from accel.contract.command import bounded_word, command_line, match_word
from accel.resolver.installer import pip_install
from accel_nvidia import around
from accel_nvidia.version import parts

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_WHEELS: Final = ("nvidia-cuda-nvrtc-cu11", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc")
_OF_CONDA: Final = ("cudatoolkit", "cuda-version", "cuda-nvrtc")


def compiled_with(facts: "Facts") -> str | None:
    """Return the CUDA of the wheel, or of conda's package, that compiles at run time ("12.6"); None where it is not
    listed, or not alone.
    """
    found = {".".join(p.version.split(".")[:2]) for p in facts.packages(*_WHEELS, *_OF_CONDA) if p.version}
    return found.pop() if len(found) == 1 else None


def native_driver(facts: "Facts", specs: "Specs", cuda: str | None) -> str | None:
    """Return the oldest driver that takes this CUDA's PTX."""
    toolkit = specs.toolkit("cuda", cuda) if cuda else None
    if toolkit is None:
        return None
    return toolkit.driver_minimum_windows if around.on_windows(facts) else toolkit.driver_minimum


def older_compiler(facts: "Facts", specs: "Specs") -> Remedy | None:
    """Return how the compiler is taken down to the CUDA that the driver serves: a wheel within its major version."""
    driver = around.driver_version(facts)
    system = "windows" if around.on_windows(facts) else "linux"
    serves = specs.toolkit_of_driver("cuda", driver, system) if driver else None
    have, want = parts(compiled_with(facts) or ""), parts(serves or "")
    if serves is None or len(have) < 2 or len(want) < 2 or have <= want:
        return None
    text = f"Keep the driver, and compile with the CUDA {serves} that it serves."
    if (known := next(iter(facts.packages(*_OF_CONDA)), None)) is not None:
        name = "cudatoolkit" if want[0] < 12 else "cuda-version"
        channel = "-c conda-forge" if known.channel == "conda" else None
        if channel is not None and (name == known.name or want[0] >= 12):
            command = command_line("conda install", channel, match_word(f"{name}={want[0]}.{want[1]}"))
            return Remedy(text=text, command=command, action="env")
        return None
    wheel = next(iter(facts.packages(*_WHEELS)), None)
    if wheel is None or have[0] != want[0]:
        return None
    bound = bounded_word(wheel.name, f">={want[0]}.{want[1]},<{want[0]}.{want[1] + 1}")
    return Remedy(text=text, command=pip_install(facts, bound), action="env") if bound else None
