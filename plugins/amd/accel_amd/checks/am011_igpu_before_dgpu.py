from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel_amd import signs

_FAILED: Final = (
    "amd-program-crashed",
    "tensile-library-missing",
    "hip-no-code",
    "amd-memory-fault",
    "gfx-unsupported",
)
_DISABLE: Final = (
    "Or disable the processor's graphics in the firmware setup.",
    "Or disable AMD Radeon(TM) Graphics in Device Manager, under Display adapters.",
)
_SAID: Final = ("hip-no-code", "tensile-library-missing", "gfx-unsupported")
_MASKS: Final = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES")


@check(
    code="AM011",
    name="igpu-before-dgpu",
    layer="application",
    severity="warning",
    reads=(
        "amd-processor-graphics",
        "amd-mask-helps",
        "amd-graphics-first",
        "amd-graphics-counted-first",
        "rocm-in-use",
        "hip-call-failed",
        "device-that-failed",
        "gfx-named",
        *_FAILED,
        *signs.AMD_NAMED,
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("hsa-override-wrong", "amd-device-permission", "amd-driver-not-loaded", "rocm-kernel-driver-mismatch"),
)
def igpu_before_dgpu(facts: Facts, specs: Specs) -> Problems:
    """A ROCm program crashes on a machine with integrated AMD graphics and an AMD graphics card.

    Why it matters   HIP counts integrated graphics as a GPU; programs that use the first GPU, or all, fail on it.
    What to do       Show the program only the card, with ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES.
    Looks at         the processor's name in specs/amd/processors.yaml, or integrated graphics among the listed GPUs; a
                     crash of a ROCm program; whether excluding a GPU helped
    Silent when      a mask is already set, there is no card, nothing crashed, or ROCm is not mentioned
    Source           AMD: processor specifications; ROCm: GPU isolation techniques; ollama issue 2054
    """
    cards = signs.cards(facts)
    graphics = facts.stated("amd-processor-graphics")
    listed = [n for n in signs.amd_names(facts) if n not in cards]
    if not listed and any("radeon graphics" in fact.text.lower() for fact in facts.stated("amd-gpu-named")):
        listed = ["AMD Radeon Graphics"]  # the name of all integrated graphics
    first = facts.stated("amd-graphics-first")
    if first:  # the text says that there are both
        cards, listed = cards or ("graphics card",), listed or ["iGPU"]
    first += facts.stated("amd-graphics-counted-first")
    helped, failed = facts.stated("amd-mask-helps"), facts.stated(*_FAILED, *(("hip-call-failed",) if first else ()))
    asked = _graphics_asked_for(facts, specs, cards)
    listed = listed or (["AMD Radeon Graphics"] if asked else [])
    if not cards or not (graphics or listed) or not (failed or helped) or not facts.stated("rocm-in-use"):
        return
    if any(facts.variable(name) for name in _MASKS) and not helped:
        return
    if not (graphics or helped or asked) and _is_the_card(facts, specs, cards):
        return  # the program calls the card itself so, and the build has no code for it
    said = [fact for fact in failed if fact.name in _SAID]
    if (
        said
        and not helped
        and not first
        and not asked
        and not _names_graphics(facts, cards)
        and not _card_is_served(facts, specs, cards)
    ):
        return  # a missing kernel for the card itself is another fault
    what = asked or (graphics[0].value("model") if graphics else listed[0])
    does = "is" if asked else "may be"
    shown = sorted(failed, key=lambda fact: (asked or "") not in fact.text.lower())
    mask = "HIP_VISIBLE_DEVICES" if facts.host.system == "windows" else "ROCR_VISIBLE_DEVICES"  # HSA is Linux only
    yield Problem(
        title=f"The processor's graphics ({what}) {does} used instead of the {cards[0]}",
        evidence=(
            *quoted((*graphics[:1], *facts.stated("amd-gpu-named")[:1], *first[:1], *shown[:1], *helped[:1])),
            *((Evidence(fact="graphics listed", value=listed[0]),) if listed else ()),
        ),
        severity="error" if asked else None,
        remedies=(
            Remedy(
                text="Make only the card visible to ROCm; rocminfo shows its number (GPUs are counted from 0).",
                command=command_line("export", assignment_word(mask, _numbers(facts, cards, bool(asked or first)))),
                action="env",
            ),
            Remedy(text=_DISABLE[facts.host.system == "windows"], action="admin"),
        ),
    )


def _names_graphics(facts: Facts, cards: tuple[str, ...]) -> bool:
    """Return whether the missing kernels, or the number of the device that failed, are of the integrated graphics."""
    graphics = [device for device in facts.of("amd") if device.name not in cards]
    targets = {fact.value("target") for fact in facts.stated("amd-processor-graphics")}
    targets |= {device.compute_capability for device in graphics}
    texts = " ".join(fact.text.lower() for fact in facts.stated("tensile-library-missing", "gfx-unsupported"))
    failed = {fact.value("device") for fact in facts.stated("device-that-failed")}
    return any(target and target in texts for target in targets) or any(str(d.index) in failed for d in graphics)


def _graphics_asked_for(facts: Facts, specs: Specs, cards: tuple[str, ...]) -> str | None:
    """Return the integrated GPU's target for which kernels are missing: the only one named, which no card here has."""
    from accel_amd.targets import plain_target

    rows = (specs.table("amd/processors") or {"processors": []})["processors"]
    of_processors = {row["target"] for row in rows}
    named = {fact.value("arch") for fact in facts.stated("tensile-library-missing")}
    named |= {plain_target(fact.value("target")) for fact in facts.stated("gfx-named")}
    asked, targets = {one for one in named if one}, signs.targets_of_names(facts, specs, cards)
    alone = bool(targets) and asked <= of_processors and asked.isdisjoint(targets)
    return min(asked, default=None) if alone and facts.stated(*_SAID) else None


def _card_is_served(facts: Facts, specs: Specs, cards: tuple[str, ...]) -> bool:
    """Return whether the card has code, by the override or the ROCm release: then another GPU lacks it."""
    value, releases = signs.override(facts), signs.rocm_releases(facts)
    rows = (specs.table("amd/targets") or {"targets": []})["targets"]
    targets = signs.targets_of_names(facts, specs, cards)
    if value is not None:
        return any(row["override"] == value for row in rows if row["target"] in targets)
    builds = (specs.table("frameworks/torch_rocm_architectures") or {"architectures": []})["architectures"]
    of_release = {tuple(release.split(".")[:2]) for release in releases}
    served = {
        target
        for row in builds
        if any(tuple(variant.removeprefix("rocm").split(".")[:2]) in of_release for variant in row["variants"])
        for target in row["targets"]
    }
    return bool(targets) and set(targets) <= served


def _is_the_card(facts: Facts, specs: Specs, cards: tuple[str, ...]) -> bool:
    """Return whether every target that the text names is the card's own, which the build does not serve."""
    named = {fact.value("target") for fact in facts.stated("gfx-named")}
    own = set(signs.targets_of_names(facts, specs, cards))
    return bool(named) and named <= own and not _card_is_served(facts, specs, cards)


def _numbers(facts: Facts, cards: tuple[str, ...], graphics_first: bool) -> str:
    """Return the indices of the cards if a program listed them, "0,1"; else that of the first GPU."""
    numbers = [device.index for device in facts.of("amd") if device.name in cards and device.index is not None]
    alone = all(device.name in cards for device in facts.of("amd"))
    if graphics_first and alone and set(numbers) <= {0}:
        return "1"  # only the card is listed, and programs count integrated graphics before it
    return ",".join(str(number) for number in numbers) or "0"
