"""Windows cannot load a DLL of a framework."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.checks.said import quoted
from accel.contract.check import Problem, Remedy, check
from accel.resolver.remedies import install

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs

_REDISTRIBUTABLE = "winget install --id Microsoft.VCRedist.2015+.x64"
_COMPANION = ("torchaudio", "torchvision", "torch_scatter", "torch_sparse", "torch_cluster", "flash_attn", "xformers")


@check(code="AC003", name="windows-dll-unloadable", layer="framework", family="windows-specific")
def windows_dll_unloadable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Windows cannot load a DLL of torch or of another framework, mostly for want of the Visual C++ run-time library.

    Why it matters   The import fails; the message names a DLL that is there, while the missing one is another.
    What to do       Install the Visual C++ redistributable; for fbgemm.dll also libomp140.x86_64.dll. For error 1455
                     enlarge the paging file.
    Looks at         errors 126, 127, 182, 193, 1114, 1455 with "Error loading … or one of its dependencies"
    Silent when      the file is torchvision's, torchaudio's or an add-on's: those were built for another torch
    Source           PyTorch: torch/__init__.py; Windows system error codes
    """
    dlls = [
        e for e in facts.events("torch-dll-unloadable") if not any(n in (e.value("file") or "") for n in _COMPANION)
    ]
    modules = facts.events("module-dll-unloadable")
    runtime = facts.events("vcredist-missing")
    events = (*dlls, *modules, *runtime)
    if not events:
        return
    paging = next((e for e in dlls if e.value("number") == "1455"), None)
    if paging is not None:
        yield Problem(
            title=f"Windows has too small a paging file to load {paging.value('dll')}",
            evidence=quoted(dlls),
            remedies=(
                Remedy(text="Enlarge the paging file (System, Advanced, Performance), then reboot.", action="admin"),
            ),
        )
        return
    yield Problem(title=_title(events[0]), evidence=quoted(events), remedies=_remedies(facts, specs, dlls))


def _title(event: "Event") -> str:
    dll = event.value("dll") or event.value("module")
    return (
        f"Windows cannot load {dll}, or a library that it needs"
        if dll
        else "The Visual C++ run-time library is missing"
    )


def _remedies(facts: "Facts", specs: "Specs", dlls: "list[Event]") -> tuple[Remedy, ...]:
    found = [
        Remedy(text="Install the Visual C++ 2015-2022 redistributable (x64).", command=_REDISTRIBUTABLE, action="admin")
    ]
    if any((e.value("dll") or "").lower() in ("fbgemm.dll", "shm.dll", "torch_cpu.dll") for e in dlls):
        found.append(
            install(
                facts,
                specs,
                "torch",
                text="If fbgemm.dll still fails, libomp140.x86_64.dll is missing: it comes with the C++ build tools of "
                "Visual Studio; torch 2.4.1 and newer no longer need it",
                newest=True,
            )
        )
    if any(e.value("number") in ("193", "127") for e in dlls):
        found.append(Remedy(text="Or the file is damaged or of another build: reinstall torch in a fresh environment."))
    return tuple(found)
