"""How a program other than torch gets code for a GPU: another compiler from conda, or a CMake build. Pure.

nvrtc refuses 3.0, conda      conda install -c conda-forge cudatoolkit=10.2: the last CUDA whose compiler knows it
a build with CMake, 5.0       cmake -B build-new -DCMAKE_CUDA_ARCHITECTURES=50
"""

from typing import TYPE_CHECKING, Final

from accel.model.observation import Command
from accel.resolver.installer import in_conda
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Remedy, Specs
from accel.vendors.contract.command import command_line, match_word, option_word

if TYPE_CHECKING:
    from collections.abc import Sequence

_NVRTC: Final = pattern(r"nvrtc|libnvvm|invalid value for --gpu-architecture")
_CMAKE: Final = pattern(r"\bcmake3?\b|CMakeLists|CMAKE_CUDA_")
_OWN_OPTION: Final = pattern(r"-D(?P<name>[A-Z_]{0,20}CUDA_ARCH[A-Z_]{0,20})=(?P<value>[\d.;,]{2,60})", exact_case=True)


def compiled_for(
    facts: Facts, specs: Specs, name: str | None, code: str | None, stated: "Sequence[Fact]"
) -> Remedy | None:
    """Return how to build the program's code for this GPU; None if the text mentions no compiler."""
    if code is None:
        return None
    which = f"{name or 'this GPU'} ({code})"
    known = specs.architecture("nvidia", compute_capability=code)
    last, first = (known.last_toolkit, known.first_toolkit) if known is not None else (None, None)
    if in_conda(facts) and any(_NVRTC.search(fact.text) for fact in stated):
        return _by_conda(which, last, first)
    texts = [one.text for one in facts.snapshot.observations]
    called = any(isinstance(one, Command) and one.tool.startswith("cmake") for one in facts.snapshot.observations)
    if not called and not any(_CMAKE.search(text) for text in texts):
        return None
    own = next((hit for text in texts if (hit := _OWN_OPTION.search(text))), None)
    option = f"-D{own['name']}" if own is not None else "-DCMAKE_CUDA_ARCHITECTURES"
    value = code if own is not None and "." in own["value"] else code.replace(".", "")
    limit = f" CUDA {last} is the last that compiles for it." if last is not None else ""
    listed = f" If the program's CMakeLists.txt has its own list (CUDA_ARCHITECTURES), put {value} into that."
    if any(
        isinstance(one, Command) and one.tool.startswith("cmake") and one.options for one in facts.snapshot.observations
    ):
        return Remedy(
            text=f"Build the program again in an empty folder, with the architecture of {which} named.{limit}{listed}",
            command=command_line("cmake -B build-new", option_word(option, value), "&& cmake --build build-new"),
        )
    return Remedy(
        text=f"Configure the program's build folder (named build here) again, with the architecture of {which}: the "
        f"folder keeps the other switches, such as the one for CUDA. Then compile everything again.{limit}{listed}",
        command=command_line(
            "cmake -B build", option_word(option, value), "&& cmake --build build --clean-first --config Release"
        ),
    )


def _by_conda(which: str, last: str | None, first: str | None) -> Remedy | None:
    """Return the conda CUDA whose runtime compiler supports the GPU."""
    if last is not None:
        pin = f"cudatoolkit={last}" if numbers(last) < (12,) else f"cuda-version={last}"
        bound = f"CUDA {last} is the last that does"
    elif first is not None:
        pin = f"cuda-version>={first}"
        bound = f"CUDA {first} is the first that does"
    else:
        return None
    return Remedy(
        text=f"The run-time compiler of this environment's CUDA does not know {which}: {bound}. Pin it; conda "
        "changes the program's build with it.",
        command=command_line("conda install -c conda-forge", match_word(pin)),
    )
