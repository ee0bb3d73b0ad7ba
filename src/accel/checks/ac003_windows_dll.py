import re
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_REDISTRIBUTABLE = "winget install --id Microsoft.VCRedist.2015+.x64"
_OF_XPU: Final = pattern(r"^(?:c10_xpu|torch_xpu\w{0,30}|sycl\d{0,3}|ze_loader)\.dll$", re.IGNORECASE)
_OF_EXTENSION: Final = pattern(r"^intel-ext-pt-\w{1,20}\.dll$", re.IGNORECASE)
_ADD_ONS: Final = pattern(
    r"(?:^|[\\/])(?:torchaudio|torchvision|torch_\w{1,30}|flash_attn\w{0,20}|xformers|bitsandbytes|mmcv|detectron2)[\\/]"
    r"|^(?:flash_attn|_C_flash|_ext$|amp_C|exllama|libpyg|diff_gaussian|torch_s)"
)
_PACKAGE: Final = pattern(r"site-packages[\\/](\w{2,40})[\\/]", exact_case=True)
_FRAMEWORKS: Final = pattern(
    r"(?:[\\/](?:torch|tensorflow|tensorflow_core|jaxlib|onnxruntime|triton|numpy|scipy|nvidia|ctranslate2|paddle|cupy\w{0,20})[\\/])"
    r"|^(?:_C|torch\._C|xla_extension|_jax|jaxlib.{0,60}|cpu_feature_guard|_pywrap_tensorflow\w*|_mlir|libtriton|libpaddle"
    r"|onnxruntime_pybind11_state|_multiarray_umath|_ext_?|_pywrap_tfe|_ctranslate2|cudart|_translator)$"
)

_OPENMP: Final = Remedy(
    text="Install the C++ build tools of Visual Studio, which include libomp140.x86_64.dll: torch 2.4.0's "
    "fbgemm.dll needs it, and the Visual C++ redistributable does not include it.",
    command="winget install --id Microsoft.VisualStudio.2022.BuildTools --override "
    '"--passive --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
    action="admin",
)
_OF_ZLUDA: Final = Remedy(
    text="ZLUDA replaces CUDA's DLLs with its own, which load AMD's: install the HIP SDK release that the "
    "program names, put its bin folder on PATH, restart, and let the program's installer patch torch again.",
    command="where.exe amdhip64.dll amdhip64_6.dll hipblas.dll rocblas.dll",
    action="env",
)
_OF_ONEAPI: Final = (
    Remedy(
        text="Install the oneAPI libraries of the release that this Intel Extension for PyTorch names, in the same "
        "environment, and call vars.bat of its compiler and of its MKL in the shell that starts the program.",
        command="python -m pip install dpcpp-cpp-rt mkl-dpcpp onednn",
        action="env",
    ),
    Remedy(
        text="Check that torch is the one that the extension names, too: a DLL of another torch fails in the same way.",
        command="python -m pip list",
        action="env",
        kind="look",
    ),
)


@check(
    code="AC003",
    name="windows-dll-unloadable",
    layer="framework",
    family="windows-specific",
    reads=("windows-dll-unloadable", "windows-paging-file-small", "vc-runtime-missing"),
    needs=("run.program",),
)
def windows_dll_unloadable(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Windows cannot load a DLL of torch or another framework, usually because the Visual C++ runtime is missing.

    Why it matters   The import fails. The message names a DLL that exists; the missing one is a dependency of it.
    What to do       Install the Visual C++ redistributable; for fbgemm.dll also libomp140.x86_64.dll. For error 1455
                     enlarge the paging file.
    Looks at         errors 126, 127, 182, 193, 1114, 1455 in any language, "Error loading … or one of its
                     dependencies", "DLL load failed while importing …"; live, the import tables of its DLLs against the
                     folders that Windows searches
    Silent when      the file is torchvision's, torchaudio's or an add-on's: those were built for another torch
    Source           PyTorch: torch/__init__.py; Windows system error codes
    """
    paging = facts.stated("windows-paging-file-small")
    dlls = [fact for fact in facts.stated("windows-dll-unloadable") if _counts(fact, facts)]
    runtime = facts.stated("vc-runtime-missing")
    if paging:
        name = next((_name(fact) for fact in dlls if fact.value("file")), None)
        yield Problem(
            title=f"The Windows paging file is too small{f' to load {name}' if name else ''}",
            detail="Each process reserves memory for every CUDA library that it loads; the paging file limits the "
            "total.",
            evidence=quoted((*paging, *dlls)),
            remedies=(
                Remedy(
                    text="Enlarge the paging file (System, Advanced, Performance: 1.5 times the memory, or managed by "
                    "Windows), then reboot.",
                    command="SystemPropertiesAdvanced",
                    action="admin",
                ),
                Remedy(text="Or start fewer processes: fewer DataLoader workers (num_workers=0).", action="app"),
            ),
        )
    elif dlls or runtime:
        yield Problem(
            title=_title(dlls, runtime),
            evidence=quoted((*dlls, *runtime)),
            remedies=_remedies(facts, specs, dlls, runtime),
        )


def _counts(fact: Fact, facts: Facts) -> bool:
    """Return whether the library is a framework's own, rather than an add-on's or another project's."""
    file, module = fact.value("file") or "", (fact.value("module") or "").strip("'\":")
    if _ADD_ONS.search(file) or _ADD_ONS.search(module):
        return False
    if module:
        return _FRAMEWORKS.search(module) is not None
    return file.lower().endswith((".dll", ".pyd")) and (fact.value("number") is not None or "torch" in file.lower())


def _title(dlls: list[Fact], runtime: tuple[Fact, ...]) -> str:
    if dlls:
        return f"Windows cannot load {_name(dlls[0])}, or a library that it needs"
    seen = next((fact for fact in runtime if fact.grade == "measured" and fact.value("name")), None)
    if seen is None:
        return "The Visual C++ run-time library is missing"
    by = re.split(r"[\\/]", seen.value("wanted_by") or "a library")[-1]
    others = {fact.value("name") for fact in runtime} - {seen.value("name")}
    more = f", and {len(others)} more" if others else ""
    return f"The Visual C++ run-time library is missing or too old: {by} needs {seen.value('name')}{more}"


def _name(fact: Fact) -> str:
    return re.split(r"[\\/]", fact.value("file") or fact.value("module") or "a library")[-1].strip("'\":")


def _remedies(facts: Facts, specs: Specs, dlls: list[Fact], runtime: tuple[Fact, ...]) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install

    found = [
        Remedy(text="Install the Visual C++ 2015-2022 redistributable (x64).", command=_REDISTRIBUTABLE, action="admin")
    ]
    if any(_OF_XPU.search(_name(fact)) for fact in dlls):
        newer = install(
            facts,
            specs,
            "torch",
            text="Use a newer torch for Intel GPUs: since 2.6 its wheels include oneAPI's libraries; earlier "
            "ones need them installed, and setvars.bat run",
            newest=True,
        )
        driver = Remedy(
            text="Install the newest driver for the Intel GPU, which includes the Level Zero loader (ze_loader.dll).",
            action="admin",
        )
        return (newer, driver, *found)
    if any("zluda" in (fact.value("file") or "").lower() for fact in dlls):
        return (_OF_ZLUDA, *found)
    if any(_OF_EXTENSION.search(_name(fact)) for fact in dlls):
        return (*_OF_ONEAPI, *found)
    openmp = any((fact.value("name") or "").lower().startswith("libomp140") for fact in runtime)
    names = {_name(fact).lower() for fact in dlls}
    if openmp or names & {"fbgemm.dll", "shm.dll", "torch_cpu.dll"}:
        newer = install(
            facts,
            specs,
            "torch",
            text="Or use torch 2.4.1 or newer, whose fbgemm.dll no longer needs libomp140.x86_64.dll",
            newest=True,
        )
        of_openmp = (_OPENMP, newer)
        found = [*of_openmp, *found] if openmp or "fbgemm.dll" in names else [*found, *of_openmp]
    numbers = {number for fact in dlls if (number := fact.value("number"))}
    owner = next((found_in[1] for f in dlls if (found_in := _PACKAGE.search(f.value("file") or ""))), "torch")
    if numbers == {"127"}:  # a procedure was not found: no file is missing
        other = (
            "The DLL exists, but comes from a different build than the ones that it uses: another copy of the "
            "same library came first, from PATH or from another package in this process. Remove other copies "
            f"from PATH, import {owner} first, or install {owner} in its own environment."
            if owner != "torch"
            else "The DLL exists, but comes from a different build than the ones that it uses: reinstall torch "
            "in a fresh environment."
        )
        found.insert(0, Remedy(text=other))
    elif numbers & {"127", "193"}:
        found.append(
            Remedy(text=f"Or the file is damaged or from another build: reinstall {owner} in a fresh environment.")
        )
    return tuple(found)
