"""A C++ compiler that the CUDA compiler refuses."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel.contract.command import assignment_word, command_line, number_word, system_package_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC038",
    name="host-compiler-unsupported",
    layer="toolkit",
    reads=("host-compiler-unsupported",),
    needs=("run.build",),
    requires=("nvcc-torch-cuda-mismatch",),
)
def host_compiler_unsupported(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The C++ compiler is newer (or older) than the toolkit that compiles an extension accepts.

    Why it matters   The extension cannot be built; torch itself runs.
    What to do       Build with a compiler that the toolkit accepts, named in CC and CXX.
    Looks at         the toolkit's own refusal and the bound that it names; torch's extension builder
    Silent when      no compiler is there at all
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
    setting = [assignment_word("CC", names[0]), assignment_word("CXX", names[1])] if names else []
    title = "The C++ compiler is of a release that the toolkit does not accept"
    yield Problem(
        title=f"{title}: it takes up to {last}" if last and is_gcc else title,
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Install a compiler that the toolkit accepts, and name it.",
                command=command_line("sudo apt install", *names) if names else None,
                action="admin",
            ),
            Remedy(
                text="Then build the extension again in this shell.",
                command=command_line("export", *setting) if setting else None,
            ),
        ),
    )
