"""PTX that is newer than the driver: which CUDA compiled it, and which driver or which compiler puts it right. Pure.

Minor-version compatibility does not cover PTX: what a compiler of CUDA 12.6 wrote needs a driver of 12.6, though
machine code of the same CUDA runs on every driver of CUDA 12.
"""

from typing import TYPE_CHECKING, Final

from accel.contract.check import Remedy
from accel.contract.command import bounded_word
from accel.resolver.installer import pip_install
from accel_nvidia import around
from accel_nvidia.version import parts

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_COMPILERS: Final = ("nvidia-cuda-nvrtc-cu11", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc")


def compiled_with(facts: "Facts") -> str | None:
    """Return the CUDA of the wheel that compiles at run time ("12.6"); None where it is not listed, or not alone."""
    found = {".".join(p.version.split(".")[:2]) for p in facts.packages(*_COMPILERS) if p.version}
    return found.pop() if len(found) == 1 else None


def native_driver(facts: "Facts", specs: "Specs", cuda: str | None) -> str | None:
    """Return the oldest driver that takes this CUDA's PTX."""
    toolkit = specs.toolkit("cuda", cuda) if cuda else None
    if toolkit is None:
        return None
    return toolkit.driver_minimum_windows if around.on_windows(facts) else toolkit.driver_minimum


def older_compiler(facts: "Facts", specs: "Specs") -> Remedy | None:
    """Return how the compiling wheel is taken down to the CUDA that the driver serves, within its major version."""
    wheel = next(iter(facts.packages(*_COMPILERS)), None)
    driver = around.driver_version(facts)
    serves = (
        specs.toolkit_of_driver("cuda", driver, "windows" if around.on_windows(facts) else "linux") if driver else None
    )
    have, want = parts(compiled_with(facts) or ""), parts(serves or "")
    if wheel is None or serves is None or len(have) < 2 or len(want) < 2 or have[0] != want[0] or have <= want:
        return None
    bound = bounded_word(wheel.name, f">={want[0]}.{want[1]},<{want[0]}.{want[1] + 1}")
    text = f"Keep the driver, and compile with the CUDA {serves} that it serves."
    return Remedy(text=text, command=pip_install(facts, bound), action="env") if bound else None
