"""A DLL that a framework imports on Windows, and that is nowhere."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs

_MOST_LINES: Final = 8


@check(
    code="AC327",
    name="dll-missing",
    layer="framework",
    family="windows-specific",
    reads=("dll-missing",),
    needs=("run.program",),
    requires=("package-requirement-unmet", "package-files-damaged"),
)
def dll_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A DLL that a framework's own DLLs import is in no folder where Windows looks for it.

    Why it matters   The import fails with WinError 126, or "DLL load failed while importing …", which names a DLL
                     that is there.
    What to do       Install what brings the DLL; a folder on PATH does not help, but for torch's own DLLs.
    Looks at         the import tables of what the import begins with and of all that it imports; the folder of the
                     file, that of python.exe, the folders that the package adds, System32, and PATH where the package
                     falls back to it
    Silent when      it is of the Visual C++ run-time library: another check speaks; an unmet requirement or a damaged
                     package tells why
    Source           Microsoft: dynamic-link library search order; the sources of specs/frameworks/windows_dlls
    """
    by_framework: dict[str, list[Fact]] = {}
    for fact in facts.stated("dll-missing"):
        by_framework.setdefault(fact.value("framework") or "?", []).append(fact)
    for framework, told in by_framework.items():
        first, more = told[0], f", and {len(told) - 1} more" if len(told) > 1 else ""
        by = (first.value("wanted_by") or "").rpartition("/")[2]
        yield Problem(
            title=f"import {framework} fails: {by} needs {first.value('name')}{more}, which Windows does not find",
            evidence=quoted(told, _MOST_LINES),
            remedies=(
                Remedy(
                    text=f"Install the package or program that brings {first.value('name')}; if it is its own, "
                    f"install {framework} again. If it lies elsewhere, the program must add that folder before the "
                    "import: os.add_dll_directory.",
                    action="env",
                ),
            ),
        )
