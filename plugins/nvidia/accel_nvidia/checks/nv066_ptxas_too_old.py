import re
from collections.abc import Iterator
from typing import Any, Final

from accel.resolver.installer import pip_install
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, bounded_word, chained, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia.architecture_fit import capabilities, capability_of
from accel_nvidia.toolkit_install import toolkit_of

_UNSUPPORTED: Final = pattern(r"unsupported \.version (?P<wants>\d\.\d); current version is '(?P<has>\d\.\d)'")
_FIRST_WHEEL: Final = 11  # the oldest major of CUDA with a wheel of its compiler
_NVCC_FIRST: Final = (
    "export PATH=$(python -c 'import nvidia.cuda_nvcc as m; print(m.__path__[0])')/bin:$PATH && ptxas --version"
)
_TOOLKIT_FIRST: Final = (
    "export PATH=$(python -c 'import nvidia.cu13 as m; print(m.__path__[0])')/bin:$PATH && ptxas --version"
)
_OF_TOOLKIT: Final = pattern(
    r"[\\/]cuda(?:[\\/]{1,2}v?\d|-\d|[\\/]{1,2}bin)[^'\"]{0,40}ptxas"
)  # not the one that Triton includes
_OF_LLVM: Final = "is not a recognized processor"  # Triton's own LLVM: another ptxas does not help
_OF_XLA: Final = ("xla/", "nvptx_compiler", "asm_compiler", "tensorflow/", "jaxlib")  # files of its log

_BY_NUMBER: Final = (
    "CUDACXX=/usr/local/cuda/bin/nvcc cmake -B build-new "
    "-DCMAKE_CUDA_ARCHITECTURES=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)"
)


@check(
    code="NV066",
    name="ptxas-too-old",
    layer="toolkit",
    reads=("ptxas-lacks-architecture", "nvcc-lacks-architecture"),
    needs=("run.program",),
    requires=("nvcc-torch-cuda-mismatch",),
)
def ptxas_too_old(facts: Facts, specs: Specs) -> Problems:
    """The ptxas inside Triton (or another program), or the toolkit's nvcc, does not support this GPU.

    Why it matters   torch.compile and Triton kernels fail, while torch's own kernels run.
    What to do       Point Triton to the ptxas of a CUDA toolkit that supports the GPU, or use a newer Triton with its
                     matching torch. For nvcc: a newer toolkit, or an architecture list that it supports; for a dropped
                     architecture: an older toolkit.
    Looks at         messages of ptxas, ptxas-blackwell, LLVM and nvcc about the architecture or the PTX version
    Silent when      torch's own binaries lack code for the GPU, which gpu-arch-not-in-build reports
    Source           CUDA: ptxas and nvcc; Triton: backends/nvidia/compiler.py
    """
    assembler, nvcc = facts.stated("ptxas-lacks-architecture"), facts.stated("nvcc-lacks-architecture")
    if not assembler and not nvcc:
        return
    told = assembler or nvcc
    target = next((fact.value("target") for fact in told if fact.value("target")), None)
    tool = next((fact.value("assembler") or fact.value("compiler") for fact in told if fact.value("target")), None)
    tool = (tool or ("ptxas" if assembler else "nvcc")).strip("`':").lower()
    first, last = _toolkits_of(target, specs)
    here = facts.toolkit("cuda")
    version = here.version if here is not None else None
    title, remedies = (
        f"{tool} does not know {target or 'this PTX version'}",
        tuple(_of_ptxas(facts, specs, told, first, target)),
    )
    if not assembler:
        remedies = tuple(_of_nvcc(_toolkit(first, facts), first, facts, specs))
    if last is not None and (version is None or numbers(version)[:2] > numbers(last)):
        title += f": CUDA {first} to {last} can generate code for it"
        remedies = tuple(_of_dropped(last, capabilities(facts, specs) or ()))
    elif first is not None and version is not None and numbers(version)[:2] >= numbers(first) and not assembler:
        title += f", but CUDA {version} does: a different {tool} is run"
    elif (has := _cuda_of_ptx(specs, told, "has")) is not None:
        title += f": it is CUDA {has}'s, and the program writes PTX of CUDA {_cuda_of_ptx(specs, told, 'wants')}"
    else:
        title += f": it comes from a CUDA older than {first or 'the GPU needs'}"
    unasked = _not_of_gpus_here(target, facts, specs)
    if "native" in (target or "") and not assembler:
        title = (
            f"{tool} does not support the architecture native: CMake supports it from 3.24 on, nvcc from CUDA 11.6 on"
        )
        remedies = (fix(specs, "nvidia", "architecture-as-number"), *remedies)
    if unasked and not assembler:
        title = f"{tool} is asked for {target}, which it does not support and no GPU here has"
        remedies = (_of_gpus_here(unasked), *remedies)
    yield Problem(title=title, evidence=quoted(told), remedies=remedies)


def _not_of_gpus_here(target: str | None, facts: Facts, specs: Specs) -> tuple[str, ...]:
    """Return the capabilities of the GPUs here if all are known and none is the requested one; else ()."""
    wanted = capability_of((target or "").strip("`'"))
    here = capabilities(facts, specs) or ()
    return here if wanted is not None and wanted not in [capability_of(one) for one in here] else ()


def _of_gpus_here(here: tuple[str, ...]) -> Remedy:
    return Remedy(
        text="Name the architectures of the GPUs here, in an empty build folder: -DCMAKE_CUDA_ARCHITECTURES for "
        f"CMake, TORCH_CUDA_ARCH_LIST='{';'.join(here)}' for PyTorch's extensions. A list in the project "
        "requested the other one.",
        command=command_line(assignment_word("CUDAARCHS", here[0].replace(".", "")), "cmake -B build-new")
        if len(here) == 1
        else None,
    )


def _toolkits_of(target: str | None, specs: Specs) -> tuple[str | None, str | None]:
    """Return the first and last toolkit that compile for "compute_61"; last is None if the newest one does."""
    found = re.fullmatch(r"(?:compute|sm)_(\d{1,2})(\d)[af]?", (target or "").strip("`'"))
    rows = (specs.table("nvidia/architectures") or {}).get("compute_capabilities", ())
    wanted = f"{found[1]}.{found[2]}" if found else None
    row: dict[str, Any] = next((r for r in rows if r["compute_capability"] == wanted), {})
    return row.get("first_toolkit"), row.get("last_toolkit")


def _of_dropped(last: str, here: tuple[str, ...]) -> Iterator[Remedy]:
    yield Remedy(
        text="Remove the architecture if no GPU here needs it: TORCH_CUDA_ARCH_LIST for PyTorch's extensions, "
        "CMAKE_CUDA_ARCHITECTURES for CMake, NVCC_GENCODE for NCCL.",
        command=command_line(
            "export",
            assignment_word("TORCH_CUDA_ARCH_LIST", ";".join(here)),
            assignment_word("CUDAARCHS", here[0].replace(".", "") if len(here) == 1 else "native"),
        )
        if here
        else "nvidia-smi --query-gpu=name,compute_cap --format=csv",
    )
    yield Remedy(text=f"For a GPU that needs it: compile with CUDA {last} or an older toolkit that still has it.")


def _newer_triton(facts: Facts, specs: Specs, target: str | None, text: str) -> Remedy:
    """Return the torch whose Triton supports the GPU; if none is known, the first, with its companions."""
    from accel.resolver.remedies import install, machine_of

    number = capability_of((target or "").strip("`'"))
    code = f"{number[0]}.{number[1]}" if number is not None else None
    return install(
        facts,
        specs,
        "torch",
        text=text,
        on=machine_of(facts, specs, "nvidia", code=code),
        oldest=True,
        beside=("torchvision", "torchaudio"),
    )


def _cuda_of_ptx(specs: Specs, told: tuple[Fact, ...], which: str) -> str | None:
    """Return the first CUDA with the PTX version that is refused ("wants"), or the last with the known one ("has")."""
    found = next((hit[which] for fact in told if (hit := _UNSUPPORTED.search(fact.text))), None)
    rows = (specs.table("nvidia/ptx_versions") or {}).get("versions", ())
    releases = next((row["cuda"] for row in rows if row["ptx"] == found), ())
    return next(iter(releases if which == "wants" else releases[::-1]), None)


def _ptxas_of_wheel(facts: Facts, needs: str) -> Remedy:
    """Return how to put the ptxas of a wheel first on PATH, where XLA looks before it looks at the wheels."""
    major = max(int(needs.partition(".")[0]), _FIRST_WHEEL)
    name = f"nvidia-cuda-nvcc-cu{major}" if major < 13 else "nvidia-cuda-nvcc"
    first_on_path = _NVCC_FIRST if major < 13 else _TOOLKIT_FIRST
    least = needs if numbers(needs)[0] == major else f"{major}.0"
    return Remedy(
        text=f"XLA runs the first ptxas on PATH: put the one of the wheel {name}, from CUDA {least} or newer, before "
        "it, in the shell that starts the program. The driver and the toolkit may stay.",
        command=chained(
            pip_install(facts, bounded_word(name, f">={least},<{major + 1}")),
            first_on_path,
        ),
    )


def _of_ptxas(
    facts: Facts, specs: Specs, told: tuple[Fact, ...], first: str | None, target: str | None
) -> Iterator[Remedy]:
    if any(sign in fact.text.lower() for fact in told for sign in _OF_XLA):
        written = _cuda_of_ptx(specs, told, "wants")
        yield _ptxas_of_wheel(facts, first or written or "12.0")
        yield Remedy(
            text="Or put the folder bin of a toolkit that is new enough first (on a cluster: load its module).",
        )
        yield Remedy(text="Check which ones are found.", command="which -a ptxas; ptxas --version", kind="look")
        return
    texts = (*(one.text for one in told), *(one.text for one in facts.snapshot.observations))
    if any(_OF_LLVM in text.lower() for text in texts):
        yield _newer_triton(
            facts,
            specs,
            target,
            ("Install the torch whose Triton supports this GPU: the compiler inside this one does not"),
        )
        return
    written = _cuda_of_ptx(specs, told, "wants")
    if written is not None and any(_OF_TOOLKIT.search(text) for text in texts):
        yield from _of_installed_toolkit(facts, specs, first or _released(written, specs))
        return
    torch = facts.framework("torch")
    own = torch.cuda_version if torch is not None else None
    if own and first and numbers(own)[:2] < numbers(first)[:2]:
        yield _newer_triton(
            facts,
            specs,
            target,
            f"Install a torch for CUDA {first} or newer, whose Triton includes a ptxas that supports this GPU: "
            f"torch's own kernels for CUDA {own} have no code for it either",
        )
    variables = ["TRITON_PTXAS_PATH"]
    if any("blackwell" in (fact.value("assembler") or fact.text).lower() for fact in told):
        variables = ["TRITON_PTXAS_BLACKWELL_PATH", "TRITON_PTXAS_PATH"]
    yield Remedy(
        text="Let Triton use the ptxas of the installed CUDA toolkit, if that supports the GPU (check: "
        "/usr/local/cuda/bin/ptxas --help lists it under --gpu-name).",
        command=command_line("export", *(assignment_word(name, "/usr/local/cuda/bin/ptxas") for name in variables)),
    )
    yield Remedy(text="Or install a newer Triton, with the matching torch.")


def _of_installed_toolkit(facts: Facts, specs: Specs, least: str) -> Iterator[Remedy]:
    """Yield what helps where Triton runs the ptxas of an installed toolkit that is older than Triton."""
    by = toolkit_of(facts, specs, least, or_newer=True)
    if facts.host.system != "windows":
        yield Remedy(
            text="Let Triton use the ptxas that it includes, not the toolkit's.", command="unset TRITON_PTXAS_PATH"
        )
        yield Remedy(text=f"Or install CUDA {least} or newer. {by.text}", command=by.command, action=by.action)
        return
    yield Remedy(
        text=f"Install the CUDA Toolkit {least} or newer from https://developer.nvidia.com/cuda-toolkit-archive, "
        "alongside the other one: its installer points CUDA_PATH to it, where Triton looks for ptxas. Then open a new "
        "command prompt.",
    )
    yield Remedy(text="Or install the triton-windows for the installed torch: its later releases include a ptxas.")


def _released(cuda: str, specs: Specs) -> str:
    """Return the first released toolkit that is no older."""
    known = (specs.table("nvidia/cuda") or {}).get("toolkits") or ()
    later = [one["version"] for one in known if numbers(one["version"])[:2] >= numbers(cuda)[:2]]
    return ".".join(min(later, key=numbers, default=cuda).split(".")[:2])


def _is_of_torch(facts: Facts) -> bool:
    """Return whether torch is part of the build: its extensions need the toolkit of torch's own CUDA."""
    known = facts.framework("torch") is not None or facts.package("torch") is not None
    return known or facts.mentions("torch")


def _toolkit(first: str | None, facts: Facts) -> str | None:
    """Return the CUDA of the toolkit to build with: torch's own if its compiler supports the GPU, else the first."""
    torch = facts.framework("torch")
    own = torch.cuda_version if torch is not None else None
    return own if own and first and numbers(own)[:2] >= numbers(first)[:2] else first


def _of_nvcc(toolkit: str | None, first: str | None, facts: Facts, specs: Specs) -> Iterator[Remedy]:
    which = f"CUDA {first} or a newer toolkit" if first else "a CUDA toolkit that supports the GPU"
    by = toolkit_of(facts, specs, toolkit, or_newer=True) if toolkit is not None else None
    how = f" {by.text}" if by is not None else ""
    command, action = (by.command, by.action) if by is not None else (None, "env")
    if _is_of_torch(facts):
        yield Remedy(
            text=f"Compile with {which}: the one for torch's own CUDA version if that supports it (nvcc "
            f"--version shows which one is run).{how}",
            command=command,
            action=action,
        )
        yield Remedy(text="Or remove the architecture from TORCH_CUDA_ARCH_LIST, if the program needs no code for it.")
        return
    yield Remedy(
        text=f"Compile with {which}, and make sure that its nvcc comes first: an older one from the distribution "
        "in /usr/bin is often used instead. Then configure in an empty folder: CMake keeps the compiler "
        f"that it found before.{how}",
        command=command,
        action=action,
    )
    yield Remedy(
        text="Pass it to CMake, with the architectures of the GPUs here.",
        command=_BY_NUMBER,
    )
