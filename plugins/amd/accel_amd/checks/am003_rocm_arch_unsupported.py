import re
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import CONTAINER, in_container
from accel.model.dataclass import replace
from accel.resolver.programs import program_of, release_for
from accel.specs.support import Support, support_of
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import assignment_word, chained, command_line
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_amd import signs
from accel_amd.targets import plain_target

if TYPE_CHECKING:
    from accel.resolver.target import Target

_TENSILE: Final = "tensile-library-missing"
_SAID: Final = ("hip-no-code", _TENSILE, "gfx-unsupported", "kfd-skips-gpu")
_OF_ROCM: Final = pattern(r"whl/rocm(?P<version>\d{1,2}\.\d{1,2})")
_SEGMENT: Final = pattern(r"segmentation|sigsegv|segfault|signal 11\b|code 139\b", re.IGNORECASE)
_LONE: Final = pattern(r"gfx[0-9a-f]{3,4}", re.IGNORECASE)
_OF_THE_BUILD: Final = pattern(r"\bsupported[ _]\w{3,14}[\"' ]{0,2}[:=][ ]?\[[^\]\n]{0,600}\]", re.IGNORECASE)


@check(
    code="AM003",
    name="rocm-arch-unsupported",
    layer="framework",
    reads=(
        *(
            *_SAID,
            "tensile-host-without-devices",
            "ggml-program",
            "gfx-named",
            "gfx-list",
            "gfx-list-empty",
            "rocblas-replaced-said",
            *signs.AMD_NAMED,
        ),
        *("hip-call-failed", "no-hip-gpus", "rocm-release-named", *CONTAINER),
        *("rocm-in-use", "amd-program-crashed", "amd-processor-graphics"),
    ),
    needs=("run.program",),
    requires=(
        "rocm-torch-on-nvidia",
        "hsa-override-wrong",
        "igpu-before-dgpu",
        "path-with-space",
        "gfx-target-misspelled",
    ),
)
def rocm_arch_unsupported(facts: Facts, specs: Specs) -> Problems:
    """The ROCm build of torch, rocBLAS or the kernel driver's compute part (KFD) does not support this GPU's target.

    Why it matters   The GPU is listed but the first kernel fails; or KFD does not offer the GPU.
    What to do       Use a build for this target. If another target has the same instructions, an override may help; for
                     some (gfx1103) that override hangs the machine.
    Looks at         HIP's "invalid device function" and "no binary for GPU", rocBLAS's missing library, kfd's "not
                     supported"; the GPU's target against the targets that the build lists; the ROCm release against
                     those that support the target; a segmentation fault on a GPU whose target only an override serves
    Silent when      nothing failed; HSA is out of resources (other causes too). Undecided if the build lists the target
    Source           HIP runtime API: error codes; LLVM: processors of the AMDGPU backend; Linux: amdkfd/kfd_device.c
    """
    stated = facts.stated(*_SAID)
    targets = _targets(facts, specs)
    if not stated and any(_override(target, by_torch=False, specs=specs) is not None for target in targets):
        stated = facts.stated("tensile-host-without-devices")  # a GPU that its libraries have no code for
    if not stated and (crashed := _crashed(facts, specs, targets)):
        yield crashed
        return
    if not stated:
        yield from _by_release(facts, specs, targets)
        return
    built = _built_for(facts)
    skipped = facts.stated("kfd-skips-gpu")
    if targets and built and all(target in built for target in targets) and not skipped:
        need(None, "why the kernel failed: the build does list this GPU's target")
    target = next((t for t in targets if t not in built), None)
    name = next(iter(signs.amd_names(facts)), None)
    evidence = list(quoted(stated, most=3))
    if target:
        evidence.append(Evidence(fact="the GPU's target", value=target))
    if built:
        evidence.append(Evidence(fact="the build's targets", value=", ".join(sorted(built))))
    empty = facts.stated("gfx-list-empty") if not built else ()
    if empty:
        yield Problem(
            title="The program's ROCm libraries have no code for any GPU; "
            f"this machine has {target or name or 'an AMD GPU'}",
            evidence=tuple(evidence),
            remedies=(fix(specs, "amd", "rocm-folder-again"), *_remedies(facts, target, name, specs)),
        )
        return
    who = "The compute part of the kernel driver does not support" if skipped else "The ROCm build has no code for"
    swapped = bool(built) and bool(facts.stated("rocblas-replaced-said")) and facts.host.system == "windows"
    only = f": the rocBLAS put in is for {', '.join(sorted(built))}" if swapped else ""
    yield Problem(
        title=f"{who} {target or name or 'this GPU'}{only}",
        devices=tuple(d.id for d in facts.of("amd") if d.compute_capability == target),
        evidence=tuple(evidence),
        remedies=(
            *(fixes(specs, "amd", "rocblas-of-target") if swapped else ()),
            *_remedies(facts, target, name, specs),
        ),
    )


def _crashed(facts: Facts, specs: Specs, targets: tuple[str, ...]) -> Problem | None:
    """Return the problem of a ROCm program that dies on a GPU that no build of AMD's has code for.

    HIP then crashes when it looks for the first kernel, without a message.
    """
    crashes = [fact for fact in facts.stated("amd-program-crashed") if _SEGMENT.search(fact.text)]
    graphics = facts.stated("amd-processor-graphics") if not signs.cards(facts) else ()
    found = targets or tuple({target for fact in graphics if (target := fact.value("target"))})
    stand_in = _override(found[0], by_torch=False, specs=specs) if len(found) == 1 else None
    served = facts.host.system == "windows" or signs.override(facts) or not _built_for(facts).isdisjoint(found)
    if stand_in is None or served or not crashes or not facts.stated("rocm-in-use"):
        return None
    name = next(iter((*signs.amd_names(facts), *(fact.value("model") for fact in graphics))), None)
    return Problem(
        title=f"ROCm's builds have no code for {found[0]} ({name or 'this GPU'}): the first kernel on it crashes",
        detail="The GPU is listed all the same (torch.cuda.is_available() is True): that needs no code for it.",
        evidence=quoted((*crashes[:2], *graphics[:1], *facts.stated("amd-gpu-named")[:1]), most=3),
        remedies=(stand_in, fix(specs, "amd", "cpu-or-other-card")),
    )


def _by_release(facts: Facts, specs: Specs, targets: tuple[str, ...]) -> Problems:
    """Judge a failing ROCm library whose message names no target, by the releases that support the GPU."""
    if facts.host.system == "windows":
        yield from _by_sdk(facts, specs, targets)
        return
    failed, releases = facts.stated("hip-call-failed"), signs.rocm_releases(facts)
    for target in targets if failed else ():
        known = support_of(specs, "rocm", target)
        if known is None or not releases or any(known.serves(release) is not False for release in releases):
            continue
        ends = f"{known.last} is the last release that supports it" if known.last else "no release does"
        yield Problem(
            title=f"ROCm {releases[0]} does not support {target}: {ends}",
            detail=f"Its libraries have no code for {known.title}. See {known.source}",
            evidence=(*quoted(failed, most=2), Evidence(fact="the GPU's target", value=target)),
            remedies=_remedies(facts, target, None, specs),
        )
        return


def _by_sdk(facts: Facts, specs: Specs, targets: tuple[str, ...]) -> Problems:
    """Judge a HIP on Windows that fails or finds no GPU, by the releases of the HIP SDK that support the GPUs here."""
    failed, releases = facts.stated("hip-call-failed", "no-hip-gpus"), signs.rocm_releases(facts)
    known = [support_of(specs, "hip-sdk", target) for target in targets] if failed else []
    refused = [one for one in known if one and (one.never or any(one.serves(release) is False for release in releases))]
    if not refused or len(refused) < len(known) or _is_torchs(facts):  # AMD's torch for Windows has its own libraries
        return
    one, target = refused[0], targets[0]
    name = next(iter(signs.amd_names(facts)), None)
    gpu = f"{name} ({target})" if name else target
    ends = "no release lists it" if one.never else f"{one.last} is the last release that does"
    older = "" if one.last is None else f"Install the HIP SDK {one.last} in its place. Or "
    says = f"{older}{one.instead or 'run the program on the CPU'}"
    yield Problem(
        title=f"AMD's HIP SDK for Windows does not support {gpu}: {ends}",
        detail=f"It does not find the GPU, whichever driver is installed ({one.title}). See {one.source}",
        evidence=(*quoted(failed, most=2), Evidence(fact="the GPU's target", value=target)),
        remedies=(Remedy(text=f"{says[0].upper()}{says[1:]}. Windows cannot override the target.", action="env"),),
    )


def _targets(facts: Facts, specs: Specs) -> tuple[str, ...]:
    """Return the targets of the GPUs found, most certain first."""
    found = [d.compute_capability for d in facts.of("amd")]
    for fact in facts.stated("hip-no-code", "tensile-library-missing", "gfx-unsupported"):
        found += [target.lower() for target in _LONE.findall(_OF_THE_BUILD.sub("", fact.text))][-1:]
    found += [plain_target(fact.value("target")) for fact in facts.stated("gfx-named")]
    listed = tuple(device.name for device in facts.of("amd") if device.name)  # a guide may name other cards
    found += signs.targets_of_names(facts, specs, listed or None)
    return tuple(dict.fromkeys(target for target in found if target))


def _built_for(facts: Facts) -> frozenset[str]:
    torch = signs.torch(facts)
    built = {t for a in (torch.architectures or () if torch else ()) if (t := plain_target(a))}
    for fact in facts.stated("gfx-list"):
        built |= set((fact.value("targets") or "").split())
    return frozenset(built)


def _remedies(facts: Facts, target: str | None, name: str | None, specs: Specs) -> tuple[Remedy, ...]:
    wheel = None
    on_windows = facts.host.system == "windows"
    if target is not None and (signs.torch(facts) is not None or (_is_torchs(facts) and not facts.stated(_TENSILE))):
        from accel.resolver.remedies import machine_of

        machine = machine_of(facts, specs, "amd", name=name, code=target)
        wheel = _wheel(facts, specs, target, machine)
    if wheel is not None and wheel.command is not None:
        release, row = _OF_ROCM.search(wheel.command), _row(target, specs)
        if release is not None and "sound_until" in row and numbers(release["version"]) > numbers(row["sound_until"]):
            return (Remedy(text=row["own_build"], action="env"),)
        shown = None if on_windows else _override(target, by_torch=False, specs=specs)
        if shown is None and signs.override(facts) is not None:
            wheel = _without_override(wheel)
        return (wheel,) if shown is None else (shown, wheel)  # setting a variable is easier than another build
    if any(fact.value("never") for fact in facts.stated("kfd-skips-gpu")):
        return fixes(specs, "amd", "no-compute-driver")
    known = support_of(specs, "rocm", target) if target is not None else None
    stand_in = _override(target, by_torch=False, specs=specs)
    served = known is not None and any(known.serves(release) for release in signs.rocm_releases(facts))
    if known is not None and (known.never or known.gone) and not served and facts.host.system != "windows":
        ways = (stand_in, _release(facts, specs, target, name), _of_ended(known, target or "", facts))
        return tuple(way for way in ways if way is not None)
    by_torch = _is_torchs(facts)
    build = _release(facts, specs, target, name) or _build(target, by_torch, facts)
    if facts.host.system == "windows" and (sdk := _sdk(facts, specs, target)) is not None:
        return (sdk, fix(specs, "amd", "vulkan-on-windows"))
    if facts.host.system == "windows":  # HIP reads no HSA variable there
        return (
            (build, fix(specs, "amd", "vulkan-on-windows"))
            if by_torch or build.command
            else (fix(specs, "amd", "vulkan-on-windows"), build)
        )
    stand_in = _override(target, by_torch, specs)
    if facts.stated("ggml-program") and not by_torch and build.command is None:
        return tuple(way for way in (stand_in, fix(specs, "amd", "ggml-vulkan"), build) if way is not None)
    if stand_in is None:
        return (build,)
    return (build, stand_in) if by_torch else (stand_in, build)


def _sdk(facts: Facts, specs: Specs, target: str | None) -> Remedy | None:
    """Return the first HIP SDK for Windows with libraries for a target; None if unknown, or no SDK's rocBLAS failed."""
    known = support_of(specs, "hip-sdk", target) if target is not None and facts.stated(_TENSILE) else None
    if known is None or known.first is None:
        return None
    return Remedy(
        text=f"Install AMD's HIP SDK for Windows {known.first} or newer (amd.com, ROCm Hub, HIP SDK), the first with "
        f"libraries for {target}. Then put its bin folder first on PATH, and take a release of the program (ZLUDA, "
        "llama.cpp) that was built for this SDK.",
        action="admin",
    )


def _wheel(facts: Facts, specs: Specs, target: str, machine: "Target") -> Remedy | None:
    """Return the torch for a target, with a ROCm whose libraries still support it; None if there is none."""
    from accel.resolver.remedies import install

    text = f"Install a build that has code for {target}"
    known = support_of(specs, "rocm", target)
    found = install(facts, specs, "torch", text=text, on=machine)
    release = _OF_ROCM.search(found.command or "")
    if known is None or release is None or known.last is None or numbers(release["version"]) <= numbers(known.last):
        return found
    found = install(facts, specs, "torch", text=text, on=machine, variant=f"rocm{known.last}")
    return found if found.command is not None else None


def _without_override(wheel: Remedy) -> Remedy:
    """Return the step without the variable that made this GPU run another one's code."""
    text = f"{wheel.text} Unset {signs.OVERRIDE}, which lets the GPU run code that it cannot execute."
    return replace(wheel, text=text, command=chained("unset HSA_OVERRIDE_GFX_VERSION", wheel.command))


def _release(facts: Facts, specs: Specs, target: str | None, name: str | None) -> Remedy | None:
    """Return the program's release that supports the GPU, if the libraries in use have no code for it at all."""
    program = program_of(facts, specs)
    if program is None or facts.stated(_TENSILE) or _is_torchs(facts):
        return None
    return release_for(facts, program, "amd", name, target)


def _is_torchs(facts: Facts) -> bool:
    of_another = bool(facts.stated("gfx-unsupported", "ggml-program"))
    spoken_of = any(fact.value("subject") == "torch" for fact in facts.stated("spoken-of"))
    return signs.torch(facts) is not None or (spoken_of and not of_another)


def _build(target: str | None, by_torch: bool, facts: Facts) -> Remedy:
    """Return how to get a build with code for the target; if the target is unknown, how to find it."""
    wanted = target or "TARGET"
    missing = "" if target else " The target is missing here, which  rocminfo | grep -m1 gfx  shows."
    if by_torch:
        text = (
            f"Install a build for {target or 'this target'} from AMD's per-family wheels, or build torch with "
            f"PYTORCH_ROCM_ARCH={wanted}.{missing}"
        )
        return Remedy(text=text, action="env")
    if facts.stated(_TENSILE):
        text = (
            f"Use a newer release or image of the program whose rocBLAS and hipBLASLt have code for {wanted} "
            f"(files in their library folders are named after it).{missing} If only hipBLASLt lacks it, rocBLAS "
            "works alone with ROCBLAS_USE_HIPBLASLT=0."
        )
        only = all("hipblaslt" in f.text.lower() or "rocblaslt" in f.text.lower() for f in facts.stated(_TENSILE))
        switch = command_line("export", assignment_word("ROCBLAS_USE_HIPBLASLT", "0")) if only else None
        return Remedy(text=text, command=switch, action="env")
    text = (
        f"Use a build of the program that lists {target or 'this target'}, or build it for that target "
        f"(AMDGPU_TARGETS={wanted}).{missing}"
    )
    return Remedy(text=text, action="env")


def _of_ended(known: Support, target: str, facts: Facts) -> Remedy:
    """Return the steps if ROCm dropped a target, or never supported it."""
    other = "run it on the CPU" if known.instead is None or _is_torchs(facts) else known.instead
    if known.last is None:
        text = f"No release of ROCm has code for {target}: {other}."
        return Remedy(text=text, action="env")
    what = "an image" if in_container(facts) else "a build"
    return Remedy(
        text=f"ROCm {known.last} is the last release whose libraries have code for {target}: use {what} of the "
        f"program made with ROCm {known.last} or older (in a Dockerfile, a ROCm {known.last} base image). "
        f"Copying that rocBLAS's files for {target} into the newer one's rocblas/library folder works too. "
        f"Without ROCm: {other}.",
        action="env",
    )


def _row(target: str | None, specs: Specs) -> dict[str, Any]:
    rows: list[dict[str, Any]] = (specs.table("amd/targets") or {"targets": []})["targets"]
    return next((row for row in rows if row["target"] == target), {})


def _override(target: str | None, by_torch: bool, specs: Specs) -> Remedy | None:
    """Return how to run another target's code; None if no other target has the same instructions."""
    value = _row(target, specs).get("override")
    if value is None:
        return None
    return Remedy(
        text=("Or run" if by_torch else "Run")
        + " the code of a target with the same instructions; AMD does not support this, and the program may hang.",
        command=command_line("export", assignment_word(signs.OVERRIDE, value)),
        action="env",
    )
