"""A library that the import of a framework cannot load."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel.contract.command import command_line, path_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC044",
    name="framework-library-missing",
    layer="framework",
    reads=("framework-library-missing",),
    needs=("run.program",),
    requires=(
        "cuda-library-missing",
        "package-requirement-unmet",
        "package-files-damaged",
        "system-library-missing",
        "cudnn-mismatch",
        "nccl-version-mismatch",
    ),
)
def framework_library_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A library that a framework's own libraries need is in no folder where the loader looks.

    Why it matters   The import fails: "cannot open shared object file: No such file or directory".
    What to do       Install what brings it, or show the loader its folder.
    Looks at         the libraries that the import begins with and all that they need: RPATH, LD_LIBRARY_PATH, RUNPATH,
                     the system's cache and folders, in the loader's order
    Silent when      an unmet requirement or a damaged package tells why; it is CUDA's: cuda-library-missing speaks
    Source           ld.so(8); System V ABI
    """
    told = facts.stated("framework-library-missing")
    if not told:
        return
    first = told[0]
    more = f", and {len(told) - 1} more" if len(told) > 1 else ""
    yield Problem(
        title=f"import {first.value('framework')} fails: {first.value('name')} is not found{more}",
        evidence=quoted(told, 8),
        remedies=(
            Remedy(
                text="See what the loader finds; then install the package that brings the missing library.",
                command=command_line("ldd", path_word(first.value("wanted_by"))),
            ),
        ),
    )
