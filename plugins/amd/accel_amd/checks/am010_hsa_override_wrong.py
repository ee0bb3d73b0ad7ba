import re
from typing import Final

from accel.model.observation import Experiment
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_amd import signs

_UNSUPPORTED: Final = "gfx-unsupported"
_ENDED: Final = "amd-program-crashed"  # what the others end in
_FAILED: Final = (
    "amd-memory-fault",
    _ENDED,
    "hip-no-code",
    "tensile-library-missing",
    "amdgpu-ring-hung",
)
_CODELESS: Final = ("hip-no-code", "tensile-library-missing")
_WRITTEN: Final = pattern(r"gf?x(?P<digits>\d{1,2}[0-9a-f]{2})")  # a typo: "gx906"
_TARGET: Final = pattern(r"gfx(?P<major>\d{1,2})(?P<minor>[0-9a-f])(?P<stepping>[0-9a-f])", exact_case=True)


@check(
    code="AM010",
    name="hsa-override-wrong",
    layer="application",
    family="rocm-arch-unsupported",
    reads=(
        "gfx-override",
        "gfx-override-malformed",
        "gfx-override-tried",
        "gfx-list-empty",
        "gfx-named",
        "variable-set-at",
        "override-not-handed-over",
        _UNSUPPORTED,
        *_FAILED,
        *signs.AMD_NAMED,
    ),
    needs=("run.program",),
)
def hsa_override_wrong(facts: Facts, specs: Specs) -> Problems:
    """HSA_OVERRIDE_GFX_VERSION makes ROCm run code with instructions that the GPU lacks.

    Why it matters   The GPU executes invalid code: memory access faults, crashes, hangs. The board is not defective.
    What to do       Unset the variable, or set a target of the GPU's own family.
    Looks at         the variable against the target of the named product; the target that rocminfo prints, which is the
                     override's, against the product's; a fault or crash with an override; a value, or none, that works
    Silent when      the override is the GPU's own target or of its family, or no product is named, and nothing failed
    Source           LLVM: AMDGPU backend: processors and generic targets; specs/amd/compute_targets.yaml
    """
    malformed = [f for f in facts.stated("gfx-override-malformed") if _WRITTEN.fullmatch(f.value("target") or "")]
    if facts.stated("gfx-list-empty"):
        return  # no target has code, so no override helps
    if malformed:
        yield _malformed(malformed, specs)
        return
    value = signs.override(facts)
    names = signs.cards(facts) or signs.amd_names(facts)
    targets = signs.targets_of_names(facts, specs, names)
    failed = facts.stated(*_FAILED)
    if value is None:
        if failed and len(targets) == 1:
            yield from _printed(facts, specs, names[0], targets[0], failed[0])
        return
    if _only_tried(facts, failed):
        return  # the failure is there without it
    wanted = signs.target_of_override(value)
    foreign = bool(targets) and not any(_of_one_family(wanted, target) for target in targets)
    if _fails_either_way(failed, facts.stated("gfx-override")):
        return  # the build lacks code for the GPU; the override was an attempt that failed
    tried = facts.stated("gfx-override-tried")
    cured = [fact for fact in tried if value not in fact.text]
    if failed and not foreign and _lacks_code(failed) and (tried or _set_for_another(facts)):
        yield _unreached(value, (*tried[:1], *facts.stated("gfx-override")[:1], *failed[:1]))
        return
    if tried and not cured:
        return  # this value made it work
    if (
        foreign
        and wanted in (specs.table("amd/targets") or {}).get("usual", ())
        and _tried_without_code(failed, targets, specs)
    ):
        return  # the build lacks code for the GPU, and another target's cannot replace it
    serves = any(_right(target, specs) == value for target in targets)
    if not foreign and not cured and (not failed or wanted in targets or (serves and _lacks_code(failed))):
        return  # missing code: for another GPU, or another fault
    evidence = (
        Evidence(fact=signs.OVERRIDE, value=value),
        *quoted((*facts.stated("gfx-override")[:1], *facts.stated("amd-gpu-named")[:1], *failed[:1], *cured[:1])),
    )
    name = names[0] if names else None
    right = _cure(cured) or (_right(targets[0], specs) if foreign and targets else None)
    unset = Remedy(
        text=f"Unset {signs.OVERRIDE}, and try again.", command="unset HSA_OVERRIDE_GFX_VERSION", action="env"
    )
    remedies: tuple[Remedy, ...] = (unset,)
    if right is not None and right != value:
        own = Remedy(
            text="Set it to a target of the GPU's own family; a build that has code for the GPU itself does not need "
            "it.",
            command=command_line("export", assignment_word(signs.OVERRIDE, right)),
            action="env",
        )
        remedies = (own, unset)
    elif foreign and any(fact.name in _CODELESS for fact in failed):
        remedies += (
            Remedy(
                text=f"Without it, the program has no code for {targets[0]}: install a build that does (for "
                "torch, one for a newer ROCm, or AMD's wheels for the GPU's family).",
                command="python -c 'import torch; print(torch.version.hip, torch.cuda.get_arch_list())'",
                action="env",
            ),
        )
    title = f"{signs.OVERRIDE}={value} makes ROCm treat this GPU as a {wanted}"
    if foreign:
        title = f"{signs.OVERRIDE}={value} ({wanted}) does not match {name or 'this GPU'}, which is a {targets[0]}"
    yield Problem(title=title, evidence=evidence, remedies=remedies, severity=None if foreign or cured else "warning")


def _only_tried(facts: Facts, failed: tuple[Fact, ...]) -> bool:
    """Return whether the text only reports that the override did not help, and the GPU has no code without it."""
    reports = {
        one.line
        for one in facts.snapshot.observations
        if isinstance(one, Experiment) and one.outcome == "fails" and signs.OVERRIDE in one.text
    }
    if not reports or any(fact.line not in reports for fact in facts.stated("gfx-override")):
        return False
    others = {fact.name for fact in (*failed, *facts.stated(_UNSUPPORTED)) if fact.line not in reports}
    return not others.isdisjoint((*_CODELESS, _UNSUPPORTED)) and others <= {*_CODELESS, _UNSUPPORTED, _ENDED}


def _set_for_another(facts: Facts) -> bool:
    """Return whether the override precedes one command only, and another program is said not to get it."""
    places = {fact.value("name"): fact.value("how") for fact in facts.stated("variable-set-at")}
    return places.get(signs.OVERRIDE) == "prefix" and bool(facts.stated("override-not-handed-over"))


def _unreached(value: str, told: tuple[Fact, ...]) -> Problem:
    """Return the problem of a start without the override that another start has: with it, any build has code."""
    return Problem(
        title=f"{signs.OVERRIDE}={value}, which works elsewhere, does not reach the program that fails",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Set it where this program is started: in the shell, service or launcher that runs it; a "
                "program that starts another one passes it on.",
                command=command_line("export", assignment_word(signs.OVERRIDE, value)),
                action="env",
            ),
        ),
    )


def _malformed(told: list[Fact], specs: Specs) -> Problem:
    """Return the problem of a variable set to a target's name instead of a version."""
    typed = told[0].value("target") or ""
    digits = _WRITTEN.fullmatch(typed)
    target = f"gfx{digits['digits'].lower()}" if digits else typed
    found = _TARGET.fullmatch(target)
    own = f"{found['major']}.{int(found['minor'], 16)}.{int(found['stepping'], 16)}" if found else None
    right = _right(target, specs) or own
    return Problem(
        title=f"{signs.OVERRIDE} is set to {typed}, but it takes a version, such as {right}, not a target's name",
        evidence=quoted(told[:1]),
        remedies=(
            fix(specs, "amd", "unset-override"),
            Remedy(
                text="If the program then has no code for this GPU, set the version instead.",
                command=command_line("export", assignment_word(signs.OVERRIDE, right)),
                action="env",
            ),
        ),
    )


def _printed(facts: Facts, specs: Specs, name: str, target: str, failed: Fact) -> Problems:
    """Yield lines where a tool prints a target that the product does not have: rocminfo prints the override's."""
    named = [fact for fact in facts.stated("gfx-named") if fact.text.lstrip().lower().startswith("name")]
    seen = {fact.value("target") or "" for fact in named}
    if not seen or any(_of_one_family(one, target) for one in seen) or any(not _TARGET.fullmatch(one) for one in seen):
        return
    yield Problem(
        title=f"ROCm treats this GPU as a {min(seen)}, but {name} is a {target}: {signs.OVERRIDE} is set",
        evidence=quoted((*named[:1], *facts.stated("amd-gpu-named")[:1], failed)),
        remedies=(
            Remedy(
                text=f"Unset {signs.OVERRIDE}, and remove it from where it is set (a shell's startup file, a "
                "service unit, a container's -e option).",
                command="unset HSA_OVERRIDE_GFX_VERSION",
                action="env",
            ),
            fix(specs, "amd", "where-override-is-set"),
        ),
    )


def _tried_without_code(failed: tuple[Fact, ...], targets: tuple[str, ...], specs: Specs) -> bool:
    """Return whether a program fails because it has no code for the GPU, and no other target's code runs there."""
    codeless = any(fact.name in _CODELESS for fact in failed)
    return codeless and all(_right(target, specs) is None for target in targets)


def _lacks_code(failed: tuple[Fact, ...]) -> bool:
    """Return whether missing code for a GPU is the only failure."""
    return all(fact.name in _CODELESS for fact in failed)


def _fails_either_way(failed: tuple[Fact, ...], set_at: tuple[Fact, ...]) -> bool:
    """Return whether code for the GPU is missing, and the program crashes in the very line that sets the override."""
    lines = {fact.line for fact in set_at}
    crashes = [fact for fact in failed if fact.name not in _CODELESS]
    return len(crashes) < len(failed) and bool(crashes) and all(fact.line in lines for fact in crashes)


def _cure(cured: list[Fact]) -> str | None:
    """Return the override that is reported to work, if one is named."""
    values = [found[0] for fact in cured for found in [re.search(r"\d{1,2}\.\d{1,2}\.\d{1,2}", fact.text)] if found]
    return values[0] if values else None


def _of_one_family(one: str, other: str) -> bool:
    """Return whether code for one target may run on the other: same major release, and up to gfx10 same minor.

    >>> _of_one_family("gfx1030", "gfx1032"), _of_one_family("gfx1100", "gfx1030"), _of_one_family("gfx1010", "gfx1030")
    (True, False, False)
    """
    first, second = _TARGET.fullmatch(one), _TARGET.fullmatch(other)
    if first is None or second is None or first["major"] != second["major"]:
        return False
    return int(first["major"]) >= 11 or first["minor"] == second["minor"]


def _right(target: str, specs: Specs) -> str | None:
    """Return the table's override for a target; None if it needs none or none is known."""
    rows = (specs.table("amd/targets") or {"targets": []})["targets"]
    return next((row["override"] for row in rows if row["target"] == target), None)
