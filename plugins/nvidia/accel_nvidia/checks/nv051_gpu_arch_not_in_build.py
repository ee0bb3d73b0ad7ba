from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.facts.questions import texts
from accel.model.observation import Fact
from accel.resolver.programs import own_pip, program_of, release_for
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.contract.command import command_line, option_word
from accel_nvidia import around
from accel_nvidia.architecture_fit import capability_of, fit, platform_of
from accel_nvidia.older_build import FAILED, older_build

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.model.environment import Framework
    from accel_nvidia.older_build import OlderBuild

_SOURCE: Final = pattern(
    r"[\\/](?P<program>[A-Za-z][\w-]{2,40})[\\/](?:src|csrc|kernels|source)[\\/][\w.\\/-]{1,120}\.(?:cu|cuh|cpp|h)\b",
    exact_case=True,
)
_UNNAMED: Final = (
    " The text does not say which GPU this is, nor its compute capability; print it with:  nvidia-smi "
    "--query-gpu=name,compute_cap --format=csv"
)
_TORCH: Final = (
    "torch-arch-unlisted",
    "torch-arch-below-minimum",
    "torch-arch-outside-range",
    "torch-arch-not-in-table",
)
_ADVICE: Final = "torch-arch-advice"
_NAMED: Final = "device-named"
_PRINTED: Final = "capability-printed"
_BELOW: Final = ("capability-below-minimum", "capability-too-low")
_OF_AMPERE: Final = "8.0"
_OF_A_PART: Final = pattern(r"FlashAttention only supports|triton GPU compiler|Triton only supports")
_OTHERS: Final = (
    "no-kernel-image",
    *_BELOW,
    "binaries-lack-architecture",
    "invalid-device-function",
)


@check(
    code="NV051",
    name="gpu-arch-not-in-build",
    layer="framework",
    reads=(*_TORCH, _ADVICE, *_OTHERS, *FAILED, _PRINTED),
    needs=("nvidia.devices.name", "framework.torch.built_for"),
)
def gpu_arch_not_in_build(facts: Facts, specs: Specs) -> Problems:
    """The binaries have no code for this GPU's compute capability: the GPU is too new for them, or too old.

    Why it matters   The first kernel fails with "no kernel image is available", although is_available() returns True.
    What to do       Install a build with code for this GPU: a newer one for a new GPU, an older one or another CUDA
                     variant for an old GPU.
    Looks at         PyTorch's warning in its three forms, errors of CUDA, TensorFlow, Triton, ggml; the build's
                     architectures (its own list, or the spec's) against each GPU's compute capability; a failed call of
                     cuDNN, cuBLAS, cuFFT or the like in a build for a CUDA older than the first that supports the GPU
    Silent when      the build has machine code of the same major and no higher minor, or PTX that the driver can
                     compile; the error is HIP's; the GPU is just above the range but of a supported major
    Source           CUDA programming guide: binary and PTX compatibility; architectures of PyTorch's wheels as cited in
                     specs/frameworks/torch_architectures.yaml
    """
    torch = facts.framework("torch")
    applies(torch is None or torch.built_for != "rocm", "torch is a ROCm build")
    warned = [e for e in facts.stated(*_TORCH) if _is_fault(e)]
    if not facts.stated(*_TORCH):  # the text lacks the line with the GPU's capability
        warned = [e for e in facts.stated(_ADVICE) if not _serves_all(e, facts, specs)]
    others = [e for e in facts.stated(*_OTHERS) if not _is_met(e, facts, specs)]
    if not facts.of("nvidia") and around.amd_seen(facts):
        others = []
    if warned or others:
        yield _said(facts, specs, [*warned, *others])
        return
    if (build := older_build(facts, specs)) is not None:
        yield _of_older(facts, specs, build)
        return
    applies(torch is not None and torch.built_for in ("cuda", None), "no CUDA build of torch found")
    gpus = facts.of("nvidia")
    applies(bool(gpus), "no NVIDIA GPU is listed")
    architectures = _architectures(facts, specs, torch)
    missing = [
        (d, c) for d in gpus if (c := _capability(d, specs)) and architectures and fit(architectures, c) == "none"
    ]
    if missing:
        yield _computed(facts, specs, missing, architectures or ())
        return
    from accel.specs.age import beyond

    late = beyond(specs, "torch", torch.version) if torch is not None and architectures is None else None
    need(
        architectures,
        f"the architectures in torch's binaries: {late}" if late else "the architectures in torch's binaries",
    )
    for device in gpus:
        need(_capability(device, specs), f"the compute capability of {device.id}")


def _of_older(facts: Facts, specs: Specs, build: "OlderBuild") -> Problem:
    framework, gpu = build.framework, build.device.name or build.device.id
    which = f"{framework.name} {framework.version}" if framework.version else framework.name
    upto = "" if framework.cuda_version or framework.variant else "at most "
    return Problem(
        title=f"{which} is built for {upto}CUDA {build.cuda}, which is older than {gpu}: CUDA {build.first} is "
        "the first that supports it",
        detail="The libraries of such a build fail at a kernel, without mentioning the architecture.",
        devices=tuple(d.id for d in facts.of("nvidia")),
        evidence=(
            *quoted(build.failed),
            Evidence(fact="compute capability", value=build.capability),
            Evidence(fact=f"newest CUDA of {which}", value=build.cuda),
        ),
        remedies=(_of_that_cuda(facts, specs, build),),
    )


def _of_that_cuda(facts: Facts, specs: Specs, build: "OlderBuild") -> Remedy:
    from accel.resolver.remedies import install, machine_of

    if not build.runs or build.framework.name != "torch":
        return _remedy(facts, specs, build.device.name, capability_of(build.capability), build.failed)
    return install(
        facts,
        specs,
        "torch",
        text="Install a build for a CUDA that supports this GPU",
        on=machine_of(facts, specs, "nvidia", name=build.device.name),
        variant=f"cu{build.first.replace('.', '')}",
    )


def _is_fault(event: Fact) -> bool:
    """Exclude the range warning for a GPU that the newest code of its own major supports (12.1 above 12.0)."""
    capability = capability_of(event.value("capability") or "")
    if event.name == "torch-arch-outside-range":
        low, high = capability_of(event.value("minimum") or ""), capability_of(event.value("maximum") or "")
        return capability is None or low is None or high is None or capability < low or capability[0] > high[0]
    if event.name == "torch-arch-unlisted" and capability and (listed := event.value("architectures")):
        return fit(listed.replace(",", " ").split(), f"{capability[0]}.{capability[1]}") != "code"
    return True


def _is_met(event: Fact, facts: Facts, specs: Specs) -> bool:
    """Return whether every known GPU has what a program requires, which then failed for another reason."""
    least = capability_of(event.value("minimum") or "") if event.name == "capability-too-low" else None
    known = [capability_of(fact.value("capability") or "") for fact in facts.stated(_PRINTED)]
    known = known or [capability_of(_capability(device, specs) or "") for device in facts.of("nvidia")]
    return least is not None and bool(known) and all(one is not None and one >= least for one in known)


def _serves_all(advice: Fact, facts: Facts, specs: Specs) -> bool:
    """Return whether PyTorch's list covers every known GPU, so that the warning was about another machine's."""
    listed = (advice.value("architectures") or "").replace(",", " ").split()
    capabilities = [_capability(device, specs) for device in facts.of("nvidia")]
    return bool(listed and capabilities) and all(c is not None and fit(listed, c) == "code" for c in capabilities)


def _said(facts: Facts, specs: Specs, stated: list[Fact]) -> Problem:
    printed = facts.stated(_PRINTED)[:1]
    telling = next((f for f in (*stated, *printed) if f.value("capability")), None)
    number = capability_of(telling.value("capability") or "") if telling else None
    device = _with_capability(facts, specs, number)
    gpu = device.name if device is not None else None
    if gpu is None and telling in printed:
        gpu, _ = _only_one(facts, specs, telling.value("capability"))
    who = (gpu or "this GPU") + (f" (compute capability {number[0]}.{number[1]})" if number else "")
    torchs = (telling if telling in stated else stated[0]).name in (*_TORCH, _ADVICE)
    by = "PyTorch's binaries" if torchs else "The program's binaries"
    asked = _asked(stated)
    return Problem(
        title=f"The program needs compute capability {asked} or newer, but {who} is older"
        if asked is not None
        else f"{by} have no code for {who}",
        devices=(device.id,) if device is not None else tuple(d.id for d in facts.of("nvidia")),
        evidence=quoted((*stated, *printed)),
        remedies=(*_avoided(stated), *_built_again(facts, specs, stated), _remedy(facts, specs, gpu, number, stated)),
    )


def _asked(stated: list[Fact]) -> str | None:
    """Return the compute capability that a program requires, if nothing else is known of its binaries."""
    told = (fact for fact in stated if fact.name == "capability-too-low" or _OF_A_PART.search(fact.text))
    asked = next((minimum for fact in told if (minimum := fact.value("minimum"))), None)
    return None if any(fact.name not in _BELOW for fact in stated) else asked


def _avoided(stated: list[Fact]) -> tuple[Remedy, ...]:
    """Return how to run without the feature that needs a newer GPU: no other build helps."""
    if (asked := _asked(stated)) is None:
        return ()
    newer = f"otherwise a GPU of compute capability {asked} or newer."
    if any("triton" in fact.text.lower() for fact in stated):
        return (
            Remedy(
                text="Do without torch.compile, whose compiler has no code for this GPU: this variable turns it "
                f"off; {newer}",
                command="export TORCHDYNAMO_DISABLE=1",
                action="env",
            ),
        )
    if asked == _OF_AMPERE and any("flashattention" in fact.text.lower() for fact in stated):
        text = (
            'Let the program use torch\'s own attention: attn_implementation="sdpa" in transformers, the '
            f"program's own option elsewhere; most use it if flash-attn is not installed; {newer}"
        )
        return (Remedy(text=text, command="pip uninstall -y flash-attn", action="app"),)
    return (
        Remedy(
            text="Turn off what requires it, or choose another variant: another attention backend (sdpa, "
            f"xformers, eager), kernel or model format; {newer}",
            action="app",
        ),
    )


def _with_capability(facts: Facts, specs: Specs, number: tuple[int, int] | None) -> "Device | None":
    """Return the GPU with this capability, if known."""
    if number is None:
        return None
    known = [(d, capability_of(c)) for d in facts.of("nvidia") if (c := _capability(d, specs))]
    return next((d for d, capability in known if capability == number), None)


def _computed(
    facts: Facts, specs: Specs, missing: "list[tuple[Device, str]]", architectures: tuple[str, ...]
) -> Problem:
    device, capability = missing[0]
    return Problem(
        title=f"This PyTorch build has no code for {device.name or device.id} (compute capability {capability})",
        devices=tuple(d.id for d, _ in missing),
        evidence=(
            Evidence(fact="compute capability", value=capability),
            Evidence(fact="architectures in the build", value=texts(architectures)),
        ),
        remedies=(_remedy(facts, specs, device.name, capability_of(capability)),),
    )


def _capability(device: "Device", specs: Specs) -> str | None:
    return device.compute_capability or (specs.compute_capability(device.name) if device.name else None)


def _architectures(facts: Facts, specs: Specs, torch: "Framework | None") -> tuple[str, ...] | None:
    if torch is not None and torch.architectures:
        return torch.architectures
    if torch is None or torch.version is None or torch.built_for != "cuda":
        return None
    if torch.variant is not None and not torch.variant.startswith("cu"):
        return None  # a conda or source build: no table has its architectures
    digits = (torch.cuda_version or "").split(".")
    variant = torch.variant
    if variant is None and len(digits) >= 2:
        variant = f"cu{digits[0]}{digits[1]}"
    build = specs.build("torch", torch.version, variant=variant, platform=platform_of(facts)) if variant else None
    return build.architectures if build is not None else None


def _built_again(facts: Facts, specs: Specs, stated: list[Fact]) -> Iterator[Remedy]:
    """Yield how to build ggml programs for these GPUs: CMake found none and took its lowest architecture."""
    if not any("ggml-cuda.cu was compiled for" in fact.text for fact in stated):
        return
    numbers = {c.replace(".", "") for d in facts.of("nvidia") if (c := _capability(d, specs))}
    wanted = "all-major" if len(numbers) > 1 else next(iter(numbers), "native")
    yield Remedy(
        text="Build it again in an empty folder, and name the architectures: if CMake sees no GPU, it uses the "
        "oldest that nvcc has.",
        command=command_line("cmake -B build-new -DGGML_CUDA=ON", option_word("-DCMAKE_CUDA_ARCHITECTURES", wanted)),
    )


def _remedy(
    facts: Facts,
    specs: Specs,
    name: str | None,
    number: tuple[int, int] | None,
    stated: Sequence[Fact] = (),
) -> Remedy:
    from accel.resolver.remedies import install, machine_of
    from accel.resolver.torch_here import torch_here
    from accel.specs.versions import numbers
    from accel_nvidia.build_for_gpu import compiled_for

    code = f"{number[0]}.{number[1]}" if number is not None else None
    if name is None:
        shared, other = _only_one(facts, specs, code)
        name, code = shared, code or other
    known = facts.of("nvidia") or name is not None or code is not None
    program = program_of(facts, specs, stated)
    release = release_for(facts, program, "nvidia", name, code) if program is not None and known else None
    if release is not None:
        return release
    if code is not None and (compiled := _compiled(facts, specs, name, code, stated)) is not None:
        return compiled
    frameworks = [f.name for f in facts.environment.frameworks]
    of_torch = "torch" in frameworks or any(f.value("subject") == "torch" for f in facts.stated("spoken-of"))
    of_torch = of_torch or (program is not None and "torch" in program)
    if not of_torch and (again := compiled_for(facts, specs, name, code, stated)) is not None:
        return again
    if not known and program is not None and "torch" in program and "pip" in program:
        called = own_pip(facts, specs)
        return Remedy(
            text=f"Give {program['name']} a torch that has code for this GPU, with the pip of its own Python"
            f"{f' ({called})' if called else ''}: from a compute capability of 10.0 on a build for CUDA 12.8 or newer, "
            f"below 7.5 one for CUDA 12.6.{_UNNAMED}",
        )
    if not known or not of_torch:
        which = f"{name or 'this GPU'}{f' ({code})' if code else ''}"
        file = _program_of_kernel(facts)
        other = ": another torch or driver changes nothing" if file else ""
        named = file or (program["name"] if program is not None else "the program")
        built = specs.architecture("nvidia", compute_capability=code) if code else None
        last = built.last_toolkit if built is not None else None
        limit = f" CUDA {last} is the last that compiles for it: build it with that or an older one." if last else ""
        return Remedy(
            text=f"Use a release of {named} that is built for {which}, or build it from source for "
            f"that{other}.{limit}{'' if known else _UNNAMED}",
        )
    unknown = in_container(facts) and not torch_here(facts, specs).version
    architecture = specs.architecture("nvidia", compute_capability=code) if code else None
    first = architecture.first_toolkit if architecture is not None else None
    text = "Install a build that has code for this GPU and that this driver supports"
    shown = facts.framework("torch")
    cuda = shown.cuda_version if shown is not None else None
    own = program is not None and "pip" in program
    held = _architectures(facts, specs, shown)
    has = bool(cuda and first and numbers(cuda) >= numbers(first)) and not (held and code and fit(held, code) == "none")
    if program is not None and own and shown is not None and has:
        text = (
            f"The torch that is shown, {shown.version} for CUDA {cuda}, has code for this GPU, so "
            f"{program['name']} runs on its own, another one: install a build that has code for the GPU there"
        )
    if program is not None and "torch" in program and not own and not unknown:
        text += f", {program.get('where', 'in the folder of ' + program['name'])}"
    if unknown and first:
        text = (
            f"Use the tag of the image whose torch is built for CUDA {first} or newer (often named "
            f"-cu{first.replace('.', '')}); if there is none, build an image on it with torch and matching packages"
        )
    return install(
        facts,
        specs,
        "torch",
        text=text,
        on=machine_of(facts, specs, "nvidia", name=name, code=code),
        oldest=unknown,
        beside=("torchvision", "torchaudio") if unknown else (),
    )


def _compiled(facts: Facts, specs: Specs, name: str | None, code: str, stated: Sequence[Fact]) -> Remedy | None:
    """Return how to build an extension for the GPU, if torch's own binaries have code for it."""
    held = _architectures(facts, specs, facts.framework("torch"))
    if held is None or fit(held, code) == "none" or any(fact.name in (*_TORCH, _ADVICE) for fact in stated):
        return None
    from accel.resolver.own_extension import built_for_gpu

    return built_for_gpu(facts, specs, f"{name or 'this GPU'} ({code})", code)


def _only_one(facts: Facts, specs: Specs, code: str | None = None) -> tuple[str | None, str | None]:
    """Return the name and capability that all GPUs share; else those of the GPUs named anywhere in the text.

    code  only of GPUs with this capability, if known
    """
    listed = {(d.name, _capability(d, specs)) for d in facts.of("nvidia")}
    seen = {one for one in listed if code in (None, one[1])}
    if not seen:
        named = {(f.value("name"), f.value("code")) for f in facts.stated(_NAMED)}
        seen = {one for one in named if code in (None, one[1])}
    codes = {code for _, code in seen}
    if len(codes) != 1:
        return None, None
    return next((name for name, _ in sorted(seen, key=str) if name), None), codes.pop()


def _program_of_kernel(facts: Facts) -> str | None:
    r"""Return the program whose source file the error names, as in "E:\home\nunchaku\src\kernels\awq\gemv.cu:313"."""
    for fact in facts.stated("no-kernel-image", "invalid-device-function"):
        if found := _SOURCE.search(fact.text):
            name: str = found["program"]
            return name
    return None
