from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_OF_DEVICE: Final = pattern(r"/opt/(?P<kit>rocm|dtk)[\w./+-]{0,80}/(?:llvm/bin|bin)/(?:amd)?clang")
_ITS_FOLDER: Final = {
    "rocm": "ls -d /opt/rocm*/llvm/bin/clang++ /opt/rocm*/lib/llvm/bin/clang++",
    "dtk": "ls -d /opt/dtk*/llvm/bin/clang++ /opt/dtk*/.hyhal/llvm/bin/clang++ /opt/hyhal/llvm/bin/clang++",
}


@check(
    code="AC031",
    name="c-compiler-missing",
    layer="toolkit",
    reads=("c-compiler-missing", "visual-studio-installed"),
    needs=("run.build",),
)
def c_compiler_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Triton, torch.compile or the build of an extension finds no C or C++ compiler.

    Why it matters   The first compiled kernel fails, often in the middle of a model's start. The GPU and its driver are
                     fine. nvcc is not needed.
    What to do       Install a C compiler, in the image if it is a container; or set CC to the existing one.
    Looks at         messages of Triton, PyTorch's Inductor, setuptools, CMake and nvcc about a missing compiler
    Silent when      the compiler is there but its version is unsupported; only collect_env does not find gcc
    Source           Triton: runtime/build.py; PyTorch: torch/_inductor/cpp_builder.py
    """
    told = facts.stated("c-compiler-missing")
    if not told:
        return
    of_device = next((found for fact in told if (found := _OF_DEVICE.search(fact.text))), None)
    if of_device:
        yield Problem(
            title="hipcc does not find the device toolkit's compiler in the expected folder",
            evidence=quoted(told),
            remedies=(
                Remedy(
                    text="Find out where it is; ROCM_PATH must be the folder that contains its llvm folder.",
                    command=_ITS_FOLDER[of_device["kit"]],
                    action="env",
                    kind="look",
                ),
                Remedy(
                    text="If it is missing, install the toolkit's compiler, or use an image that has it "
                    "('devel'), in the same release as the other parts.",
                    action="env",
                ),
            ),
        )
        return
    by_triton = any("Failed to find C" in fact.text for fact in told)
    yield Problem(
        title=f"No C compiler was found{', which Triton needs to launch its kernels' if by_triton else ''}",
        evidence=quoted(told),
        remedies=tuple(_remedies(facts)),
    )


def _remedies(facts: Facts) -> Iterator[Remedy]:
    if facts.host.system == "windows":
        if facts.stated("visual-studio-installed"):
            yield Remedy(
                text="Visual Studio is installed, and its compiler is only on its own prompt's PATH: start the program "
                "from the x64 Native Tools Command Prompt for VS, with the environment activated there, or load it in "
                "this window. Its component Desktop development with C++ must be installed.",
                command='"C:\\Program Files\\Microsoft Visual Studio\\2022\\Community\\VC\\Auxiliary\\Build\\'
                'vcvars64.bat"',
                action="env",
            )
            return
        yield Remedy(
            text="Install the C++ build tools of Visual Studio and start from their developer prompt; an "
            "installed gcc is only used if it is on this program's PATH, or set in CC.",
            command="winget install --id Microsoft.VisualStudio.2022.BuildTools",
        )
        return
    if facts.host.system == "macos":
        yield Remedy(text="Install Apple's command line tools.", command="xcode-select --install")
        return
    if facts.host.containerized:
        yield Remedy(
            text="Install the compiler in the image, not in the running container: add this line to the "
            "Dockerfile. 'devel' images already include one.",
            command="RUN apt-get update && apt-get install -y build-essential",
        )
    else:
        yield Remedy(
            text="Install a C compiler: build-essential on Debian and Ubuntu, gcc gcc-c++ on Fedora and RHEL, "
            "gxx_linux-64 in conda.",
            command="sudo apt install build-essential",
        )
    yield Remedy(text="If a compiler is installed but not found, name it.", command="export CC=gcc && command -v gcc")
