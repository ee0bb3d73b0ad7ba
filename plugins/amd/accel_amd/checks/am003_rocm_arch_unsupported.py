"""A ROCm build without code for this GPU."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.remedies import install, machine_of
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, need, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel_amd import signs
from accel_amd.targets import plain_target

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SAID: Final = ("hip-no-code", "tensile-library-missing", "gfx-unsupported", "kfd-skips-gpu")
_VULKAN: Final = Remedy(
    text="Windows has no override of the target: take the program's Vulkan or DirectML build, or one whose rocBLAS was "
    "built for this GPU: rocblas.dll and its folder library, both of the release of the HIP SDK.",
    action="env",
)
_LONE: Final = pattern(r"gfx[0-9a-f]{3,4}", re.IGNORECASE)
_OF_THE_BUILD: Final = pattern(r"\bsupported[ _]\w{3,14}[\"' ]{0,2}[:=][ ]?\[[^\]\n]{0,600}\]", re.IGNORECASE)
_WHOLE_AGAIN: Final = Remedy(
    text="Its folder of ROCm libraries is empty or damaged: remove the program, its folder of libraries too, and "
    "install its ROCm build again, whole; libraries copied in by hand serve the release that they were made for.",
    action="env",
)


@check(
    code="AM003",
    name="rocm-arch-unsupported",
    layer="framework",
    reads=(*_SAID, "ggml-program", "gfx-named", "gfx-list", "gfx-list-empty", *signs.AMD_NAMED),
    needs=("run.program",),
    requires=("rocm-torch-on-nvidia", "hsa-override-wrong", "igpu-before-dgpu"),
)
def rocm_arch_unsupported(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The ROCm build of torch, rocBLAS or the kernel driver's compute part does not know this GPU's target.

    Why it matters   The GPU is found and listed, and the first kernel fails; or the kernel driver leaves it out.
    What to do       Take a build made for this target. Where another target has the same instructions, an override
                     may help; for some (gfx1103) that override hangs the machine.
    Looks at         HIP's "invalid device function" and "no binary for GPU", rocBLAS' missing library, kfd's "not
                     supported"; the GPU's target; the targets that the build lists
    Silent when      nothing failed; HSA is out of resources, which has other causes, too; the build lists this very
                     target: the check is then undecided
    Source           HIP runtime API: error codes; LLVM: processors of the AMDGPU backend; Linux: amdkfd/kfd_device.c
    """
    stated = facts.stated(*_SAID)
    if not stated:
        return
    targets = _targets(facts, specs)
    built = _built_for(facts)
    skipped = facts.stated("kfd-skips-gpu")
    if targets and built and all(target in built for target in targets) and not skipped:
        need(None, "why the kernel failed: the build lists this GPU's target")
    target = next((t for t in targets if t not in built), None)
    name = next(iter(signs.amd_names(facts)), None)
    evidence = list(quoted(stated, most=3))
    if target:
        evidence.append(Evidence(fact="target of the GPU", value=target))
    if built:
        evidence.append(Evidence(fact="targets of the build", value=", ".join(sorted(built))))
    empty = facts.stated("gfx-list-empty") if not built else ()
    if empty:
        yield Problem(
            title=f"The program's ROCm libraries hold no code for any GPU; here is {target or name or 'one of AMD'}",
            evidence=tuple(evidence),
            remedies=(_WHOLE_AGAIN, *_remedies(facts, target, name, specs)),
        )
        return
    who = "The kernel driver's compute part does not support" if skipped else "The ROCm build holds no code for"
    yield Problem(
        title=f"{who} {target or name or 'this GPU'}",
        devices=tuple(d.id for d in facts.of("amd") if d.compute_capability == target),
        evidence=tuple(evidence),
        remedies=_remedies(facts, target, name, specs),
    )


def _targets(facts: "Facts", specs: "Specs") -> tuple[str, ...]:
    """Return the targets of the GPUs seen, the surest first."""
    found = [d.compute_capability for d in facts.of("amd")]
    for fact in facts.stated("hip-no-code", "tensile-library-missing", "gfx-unsupported"):
        found += [target.lower() for target in _LONE.findall(_OF_THE_BUILD.sub("", fact.text))][-1:]
    found += [plain_target(fact.value("target")) for fact in facts.stated("gfx-named")]
    found += signs.targets_of_names(facts, specs)
    return tuple(dict.fromkeys(target for target in found if target))


def _built_for(facts: "Facts") -> frozenset[str]:
    torch = signs.torch(facts)
    built = {t for a in (torch.architectures or () if torch else ()) if (t := plain_target(a))}
    for fact in facts.stated("gfx-list"):
        built |= set((fact.value("targets") or "").split())
    return frozenset(built)


def _remedies(facts: "Facts", target: str | None, name: str | None, specs: "Specs") -> tuple[Remedy, ...]:
    wheel = None
    if target is not None and signs.torch(facts) is not None:
        machine = machine_of(facts, specs, "amd", name=name, code=target)
        wheel = install(facts, specs, "torch", text=f"Install a build that holds code for {target}", on=machine)
    if wheel is not None and wheel.command is not None:
        return (wheel,)
    of_torch = (
        f"Install a build for {target or 'this target'}, from AMD's per-family wheels, or build torch with "
        f"PYTORCH_ROCM_ARCH={target or 'TARGET'}."
    )
    of_others = (
        f"Take a build of the program that lists {target or 'this target'}, or build it for that "
        f"(AMDGPU_TARGETS={target or 'TARGET'})."
    )
    of_another = bool(facts.stated("gfx-unsupported", "ggml-program"))
    spoken_of = any(fact.value("subject") == "torch" for fact in facts.stated("spoken-of"))
    by_torch = signs.torch(facts) is not None or (spoken_of and not of_another)
    build = Remedy(
        text=of_torch if by_torch else of_others,
        command="rocminfo | grep -m1 -o 'gfx[0-9a-f]*'",
        action="env",
    )
    if facts.host.system == "windows":  # HIP reads no HSA variable there
        return (build, _VULKAN) if by_torch else (_VULKAN, build)
    rows: list[dict[str, Any]] = (specs.table("amd/targets") or {"targets": []})["targets"]
    override = next((row["override"] for row in rows if row["target"] == target), None)
    if override is None:
        return (build,)
    stand_in = Remedy(
        text=("Or run" if by_torch else "Run")
        + " the code of a target with the same instructions; not supported by AMD, and it may hang.",
        command=command_line("export", assignment_word(signs.OVERRIDE, override)),
        action="env",
    )
    return (build, stand_in) if by_torch else (stand_in, build)
