import re
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_MANAGED: Final = pattern(r"DllNotFoundException|\bunable to load DLL\b", re.IGNORECASE)  # .NET's own words
_REDISTRIBUTABLE: Final = "winget install Microsoft.VCRedist.2015+.x64"


@check(
    code="AC186",
    name="extension-dll-unloadable",
    layer="framework",
    family="windows-specific",
    reads=("windows-dll-unloadable",),
    needs=("run.program",),
    requires=("rocm-libraries-missing",),
    last_resort=True,
)
def extension_dll_unloadable(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Windows cannot load a compiled module, or a DLL that it needs.

    Why it matters   The import fails; the message does not say which DLL is missing.
    What to do       Install the newest Visual C++ redistributable, in a conda environment its own copy; then find out
                     what else the file needs.
    Looks at         "DLL load failed while importing …", "Could not find module …"
    Silent when      the file is a framework's or a torch add-on's: other checks cover these; it is ZLUDA's, which loads
                     AMD's libraries
    Source           Windows system error codes 126, 127, 1114
    """
    told = facts.stated("windows-dll-unloadable")
    if not told:
        return
    torch = facts.framework("torch")
    managed = all(_MANAGED.search(fact.text) for fact in told)
    module = (told[0].value("module") or told[0].value("file") or "a compiled module").strip("'\":")
    yield Problem(
        title=f"Windows cannot load {module}, or a DLL that it needs",
        evidence=quoted(told),
        remedies=_of_managed(told[0].value("module") or "", specs)
        if managed
        else _beside_torch()
        if torch is not None and torch.available
        else (
            *_of_cuda(module, specs),
            Remedy(
                text="Install the newest Visual C++ redistributable (x64), and restart the program.",
                command=_REDISTRIBUTABLE,
                action="admin",
            ),
            Remedy(
                text="In a conda environment, its own older copy is loaded first: update it.",
                command="conda install -c conda-forge vs2015_runtime",
            ),
            Remedy(
                text="If it still fails: the file needs another DLL (CUDA, cuDNN, OpenVINO), whose folder must "
                "be on PATH; the program Dependencies lists them."
            ),
        ),
    )


def _of_managed(name: str, specs: Specs) -> tuple[Remedy, ...]:
    """Return the steps for a .NET program: the package that it references contains no native code."""
    plain = re.split(r"[\\/]", name.strip("'\":"))[-1].lower().removesuffix(".dll").removeprefix("lib")
    rows = (specs.table("frameworks/windows_dlls") or {}).get("native_packages", ())
    packages = next((row["packages"] for row in rows if row["library"] == plain), None)
    which = f": one of {', '.join(packages)}" if packages else ""
    return (
        Remedy(
            text=f"Add the package that contains the native library{which}, exactly one, in the same release as the "
            "managed package; build for x64, and make sure that the DLLs are next to the program that starts.",
            action="app",
        ),
        Remedy(
            text="If they are: the GPU edition also needs CUDA's and cuDNN's DLLs, and all of them need "
            "Microsoft's Visual C++ redistributable; the program Dependencies shows what is missing.",
            command=_REDISTRIBUTABLE,
            action="admin",
        ),
    )


def _beside_torch() -> tuple[Remedy, ...]:
    """Return the steps if torch computes on the GPU, so that the shared parts of Visual C++ must be there."""
    return (
        Remedy(
            text="Use the wheel that was built for this torch and for torch's CUDA major version, or install "
            "that CUDA toolkit: torch itself works here, so Visual C++ is installed, but only torch itself "
            "finds torch's own CUDA libraries.",
            action="env",
        ),
        Remedy(
            text="Check which of its DLLs is missing: the program Dependencies lists them.", action="env", kind="look"
        ),
    )


def _of_cuda(module: str, specs: Specs) -> Iterator[Remedy]:
    """Yield how to get CUDA's DLLs if the module is linked with them; the redistributable does not have them."""
    name = re.split(r"[\\/]", module)[-1].lower()
    known = (specs.table("frameworks/windows_dlls") or {}).get("of_cuda", ())
    if any(name.startswith(start) for start in known):
        yield Remedy(
            text="It is linked with CUDA's DLLs: install the toolkit for the CUDA major version of this build, "
            "and put its bin folder on PATH; CUDA library wheels are not searched.",
            action="env",
        )
