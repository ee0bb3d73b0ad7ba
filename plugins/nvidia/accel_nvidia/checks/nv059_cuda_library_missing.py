from typing import Final

from accel.resolver.hosts import is_jetson
from accel.resolver.jetson import torch_of_jetson
from accel.resolver.shown_library import SHOWN
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, match_word, path_word
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia.checks.nv065_tensorflow_cuda_mismatch import tensorflows_missing
from accel_nvidia.cuda_in_use import cuda_in_use
from accel_nvidia.labelled_build import NAMED, labelled_build, libraries_of, of_this_cuda
from accel_nvidia.library_wheels import built_again, other_build, plain_name, shown_folder, wheels_for

_MISSING: Final = "cuda-library-missing"
_OF_CUDA: Final = pattern(r"libcu(?:blas|blasLt|dart)\.so\.(\d{2})")  # sonames that count with CUDA's major

# Numba's compiler library comes with no framework's wheels.


@check(
    code="NV059",
    name="cuda-library-missing",
    layer="framework",
    reads=(_MISSING, "cudnn-part-missing", "tensorflow-named", "cuda-runtime-said", NAMED, *SHOWN),
    needs=("run.program",),
    family="cuda-libs-conflict",
    requires=(
        "cuda-libs-conflict",
        "tensorflow-cuda-mismatch",
        "extension-built-for-other-torch",
        "nccl-version-mismatch",
        "no-windows-build",
    ),
    explained_by=("torch-cpu-build-on-gpu-machine", "toolkit-home-wrong", "program-cuda-mismatch"),
)
def cuda_library_missing(facts: Facts, specs: Specs) -> Problems:
    """The loader does not find a CUDA library of the major version that a program was linked with.

    Why it matters   The import fails, or the program falls back to the CPU.
    What to do       Install the wheels of that CUDA major, or a build of the program for the installed major.
    Looks at         the loader's "cannot open shared object file" for CUDA runtime libraries
    Silent when      the program is TensorFlow or a PyTorch extension, which have their own checks
    Source           the GNU loader; sonames of CUDA's libraries
    """
    tensorflows = {fact.line for fact in tensorflows_missing(facts)}
    told = [fact for fact in facts.stated("cuda-library-missing") if fact.line not in tensorflows]
    if not told or tensorflows:
        return
    library = plain_name(told[0].value("name")) or "a CUDA library"
    yield Problem(
        title=f"{library} is not found",
        detail="The last number in its name is the library's own major; for cudart and cuBLAS it equals that of CUDA.",
        evidence=quoted(told),
        remedies=_remedies(facts, specs, told),
    )


def _beyond_driver(facts: Facts, specs: Specs, names: list[str]) -> bool:
    """Return whether the library's CUDA major is newer than the driver supports: its wheel would not run."""
    driver = facts.driver("nvidia")
    version = driver.version if driver is not None else None
    newest = specs.toolkit_of_driver("cuda", version, facts.host.system or "linux") if version else None
    serves = ((driver.toolkit_version if driver is not None else None) or newest or "").partition(".")[0]
    wants = next((found[1] for name in names if (found := _OF_CUDA.search(name))), None)
    return serves.isdecimal() and wants is not None and int(wants) > int(serves)


def _nvvm(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to get libnvvm of the CUDA in use, else of any."""
    torch = facts.framework("torch")
    said = next((fact.value("cuda") or fact.value("version") for fact in facts.stated("cuda-runtime-said")), None)
    used = (torch.cuda_version if torch is not None else None) or said or ""
    install, where = fixes(specs, "nvidia", "nvvm")
    release = ".".join(used.split(".")[:2])
    if used.startswith(("9.", "10.", "11.")) and (word := match_word(f"cudatoolkit={release}")):
        install = Remedy(
            text=f"Install NVVM, which compiles the program's kernels, from CUDA {release}, which is used here: "
            "the driver may reject PTX from a newer one.",
            command=command_line("conda install -c conda-forge", word),
        )
    if facts.host.system == "windows" or any(fact.text.lower().count(".dll") for fact in facts.stated(_MISSING)):
        where = fix(specs, "nvidia", "installed-toolkits")
    return (install, where)


def _remedies(facts: Facts, specs: Specs, told: list[Fact]) -> tuple[Remedy, ...]:
    names = [name for fact in told if (name := fact.value("name"))]
    of_framework = any(fact.value("by_component") in ("torch", "jax") for fact in told)
    torchs = of_framework or any(fact.value("subject") == "torch" for fact in facts.stated("spoken-of"))
    if torchs and is_jetson(facts, specs):
        return (torch_of_jetson(facts, specs),)
    if any("nvvm" in name.lower() for name in names):
        return _nvvm(facts, specs)
    if (shown := shown_folder(facts, specs, names)) is not None:
        return (shown,)
    if not of_framework and (again := built_again(facts, specs, names)) is not None:
        return (again,)
    if not of_framework and (built := other_build(facts, specs, names)) is not None:
        return (built,)
    if (labelled := labelled_build(facts, specs)) is not None:
        return (of_this_cuda(labelled, cuda_in_use(facts, specs), specs) or libraries_of(labelled, specs),)
    wheels = () if _beyond_driver(facts, specs, names) else wheels_for(facts, specs, names, own_loader=of_framework)
    other = Remedy(
        text=f"{'Or install' if wheels else 'Install'} the program's build for the installed CUDA major version, "
        "or the libraries of the version that it needs.",
    )
    which = Remedy(
        text="Check which ones are installed.",
        command=command_line("where.exe", path_word(plain_name(names[0])))
        if any(name.endswith(".dll") for name in names)
        else "ldconfig -p | grep -E 'libcudart|libcublas'; pip list | grep -i nvidia-",
        kind="look",
    )
    return (*wheels, other, which)
