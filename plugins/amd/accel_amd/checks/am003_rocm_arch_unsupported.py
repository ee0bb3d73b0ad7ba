"""A ROCm build without code for this GPU."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel.resolver.remedies import install, machine_of
from accel_amd import signs
from accel_amd.record import plain_target

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SAID: Final = ("hip-no-binary", "hip-invalid-function", "tensile-library-missing", "gfx-unsupported")


@check(code="AM003", name="rocm-arch-unsupported", layer="framework", requires=("rocm-torch-on-nvidia",))
def rocm_arch_unsupported(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The ROCm build of torch, or rocBLAS, holds no code for this GPU's target.

    Why it matters   The GPU is found and listed, and the first kernel fails.
    What to do       Take a build made for this target. Where another target has the same instructions, an override
                     may stand in; for some (gfx1103) that override hangs the machine.
    Looks at         HIP's "invalid device function" and "no binary for GPU", rocBLAS' missing library; the GPU's
                     target; the targets that the build lists
    Silent when      nothing failed, or the build lists this very target: the check is then undecided
    Source           HIP runtime API: error codes; LLVM: processors of the AMDGPU backend
    """
    events = facts.events(*_SAID)
    if not events:
        return
    targets = _targets(facts, specs)
    built = _built_for(facts)
    if targets and built and all(target in built for target in targets):
        need(None, "why the kernel failed: the build lists this GPU's target")
    target = next((t for t in targets if t not in built), None)
    name = next((n for e in facts.events("amd-gpu-named") if (n := e.value("name"))), None)
    evidence = list(signs.quoted(events, most=3))
    if target:
        evidence.append(Evidence(fact="target of the GPU", value=target))
    if built:
        evidence.append(Evidence(fact="targets of the build", value=", ".join(sorted(built))))
    yield Problem(
        title=f"The ROCm build holds no code for {target or name or 'this GPU'}",
        devices=tuple(d.id for d in facts.of("amd") if d.compute_capability == target),
        evidence=tuple(evidence),
        remedies=_remedies(facts, target, name, specs),
    )


def _targets(facts: "Facts", specs: "Specs") -> tuple[str, ...]:
    """Return the targets of the GPUs seen, the surest first."""
    listed = [d.compute_capability for d in facts.of("amd")]
    said = [plain_target(e.value("target")) for e in facts.events("gfx-named")]
    for event in facts.events("tensile-library-missing", "gfx-unsupported"):
        said += [plain_target(f"gfx{value}") for key in ("arch", "target", "named") if (value := event.value(key))]
    names = [d.name for d in facts.of("amd")] + [e.value("name") for e in facts.events("amd-gpu-named")]
    looked_up = [_by_name(name, specs) for name in names if name]
    return tuple(dict.fromkeys(t for t in (*listed, *said, *looked_up) if t))


def _by_name(name: str, specs: "Specs") -> str | None:
    chip = specs.chip(name=name, vendor="amd")
    if chip is not None and chip.compute_target:
        return chip.compute_target
    wanted = _key(name)
    table = specs.table("amd/targets") or {"targets": []}
    found = [
        (len(_key(known)), row["target"])
        for row in table["targets"]
        for known in row["names"]
        if wanted.endswith(_key(known))
    ]
    return max(found)[1] if found else None


def _key(name: str) -> str:
    """Return a product name without vendor words, blanks and dashes: "RX470" and "AMD Radeon RX 470" are one."""
    return re.sub(r"(?i)\b(?:amd|ati|radeon|instinct|graphics|\(tm\)|rx|pro)|[\s_-]", "", name).lower()


def _built_for(facts: "Facts") -> frozenset[str]:
    torch = signs.torch(facts)
    built = {t for a in (torch.architectures or () if torch else ()) if (t := plain_target(a))}
    for event in facts.events("gfx-list"):
        built |= set(re.findall(r"gfx[0-9a-f]{3,4}", event.value("targets") or ""))
    return frozenset(built)


def _remedies(facts: "Facts", target: str | None, name: str | None, specs: "Specs") -> tuple[Remedy, ...]:
    wheel = None
    if target is not None and signs.torch(facts) is not None:
        machine = machine_of(facts, specs, "amd", name=name, code=target)
        wheel = install(facts, specs, "torch", text=f"Install a build that holds code for {target}", on=machine)
    if wheel is not None and wheel.command is not None:
        return (wheel,)
    build = Remedy(
        text=f"Install a build for {target or 'this target'}, from AMD's per-family wheels, or build torch with "
        f"PYTORCH_ROCM_ARCH={target or '<target>'}.",
        command="rocminfo | grep -m1 -o 'gfx[0-9a-f]*'",
        action="env",
    )
    rows: list[dict[str, Any]] = (specs.table("amd/targets") or {"targets": []})["targets"]
    override = next((row["override"] for row in rows if row["target"] == target), None)
    if override is None:
        return (build,)
    stand_in = Remedy(
        text="Or run the code of a target with the same instructions; not supported by AMD, and it may hang.",
        command=f"export HSA_OVERRIDE_GFX_VERSION={override}",
        action="env",
    )
    return (build, stand_in)
