from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import in_conda
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import (
    Word,
    assignment_word,
    chained,
    command_line,
    match_word,
    number_word,
    system_package_word,
)

# nvcc compares the compiler's own number, which went from 19.3x to 19.40 within Visual Studio 2022 (17.10).
_VISUAL_STUDIO: Final = (
    Remedy(
        text="Install an older set of build tools alongside the newer one (Visual Studio's installer, individual "
        "components: MSVC v143 14.39, from 17.9), and build in a prompt that uses it: CUDA before 12.4 "
        "supports neither 17.10 nor newer.",
        command="vcvarsall.bat x64 -vcvars_ver=14.39",
        action="admin",
    ),
    Remedy(text="Or use CUDA 12.4 or newer, with a torch for that CUDA; or a prebuilt wheel.", action="env"),
)


@check(
    code="AC038",
    name="host-compiler-unsupported",
    layer="toolkit",
    reads=("host-compiler-unsupported",),
    needs=("run.build",),
    requires=("nvcc-torch-cuda-mismatch",),
)
def host_compiler_unsupported(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The C++ compiler is newer (or older) than the toolkit that compiles an extension accepts.

    Why it matters   The extension cannot be built; torch itself runs.
    What to do       Build with a compiler that the toolkit accepts, set in CC and CXX.
    Looks at         the toolkit's own error and the bound that it names; torch's extension builder
    Silent when      there is no compiler at all
    Source           CUDA: crt/host_config.h; PyTorch: torch/utils/cpp_extension.py
    """
    told = facts.stated("host-compiler-unsupported")
    if not told:
        return
    last = next((v for fact in told if (v := fact.value("wants"))), None)
    number = number_word((last or "").lstrip("<>=").split(".")[0] or None)
    is_gcc = any(fact.value("component") == "gcc" for fact in told)
    names = (
        [system_package_word(f"{name}-{number}") for name in ("gcc", "g++")] if number is not None and is_gcc else []
    )
    title = "The C++ compiler's release is not supported by the toolkit"
    if any(fact.value("component") == "msvc" for fact in told):
        yield Problem(title=title, evidence=quoted(told), remedies=_VISUAL_STUDIO)
        return
    if is_gcc and (least := _least(told)) is not None:
        yield Problem(
            title=f"The C++ compiler is too old: the sources require gcc {least} or newer",
            evidence=quoted(told),
            remedies=(
                Remedy(
                    text="Use a newer compiler that the toolkit also supports, and name it in CC and CXX: conda's, the "
                    "distribution's newer one (gcc-toolset on Red Hat), or a module of the cluster.",
                    command="conda install -c conda-forge gxx_linux-64=9; gcc --version",
                ),
            ),
        )
        return
    yield Problem(
        title=f"{title}: it supports up to {last}" if last and is_gcc else title,
        evidence=quoted(told),
        remedies=(_older(names), *((_of_conda(last or ""),) if names and in_conda(facts) else ()))[::-1],
    )


def _of_conda(last: str) -> Remedy:
    """Return how to build with conda's compiler, which needs no rights and sets CC and CXX itself."""
    return Remedy(
        text="Install a compiler that the toolkit supports in the environment, activate that again, which sets CC and "
        "CXX to it, name it to CMake as well, and build again in an empty folder.",
        command=chained(
            command_line("conda install -c conda-forge", match_word(f"gxx_linux-64={last.split('.')[0]}")),
            "conda activate $CONDA_DEFAULT_ENV && export CUDAHOSTCXX=$CXX",
        ),
        action="env",
    )


def _older(names: list[Word | None]) -> Remedy:
    """Return how to build with an older compiler: nvcc itself takes gcc from PATH unless it is given another."""
    if not names:
        return Remedy(
            text="Install a compiler that the toolkit supports, and name it in CC, CXX and CUDAHOSTCXX.", action="admin"
        )
    gcc, plus = names
    return Remedy(
        text="Install a compiler that the toolkit supports next to the present one, and name it: CC and CXX are read "
        "by torch's extension builder, CUDAHOSTCXX by CMake. Then build again in the same shell, CMake in an empty "
        "folder, because it keeps the compiler that it found before.",
        command=chained(
            command_line("sudo apt install", *names),
            command_line(
                "export", *(assignment_word(*one) for one in (("CC", gcc), ("CXX", plus), ("CUDAHOSTCXX", plus)))
            ),
        ),
        action="admin",
    )


def _least(told: tuple[Fact, ...]) -> str | None:
    """Return the oldest accepted release if the compiler is older than that; None if the message does not say."""
    wanted = (fact.value("wants") or "" for fact in told if fact.value("relation") == "older")
    return next((number for one in wanted if (number := one.lstrip("<>= ").split(",")[0])), None)
