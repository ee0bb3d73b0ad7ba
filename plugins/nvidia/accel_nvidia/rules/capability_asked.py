"""A program that requires a newer GPU than the one present: a compute capability, or a generation by name."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Complaint, Fact, Raised, share_a_line
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, rule
from accel_nvidia.architecture_fit import capability_of

_NUMBER_FORMATS: Final = pattern(
    r"\b(?:fp8|float8\w*|f?8?e4m3\w*|e5m2\w*|fp4|nvfp4|mxfp[48]|w\d{1,2}a\d{1,2}|int8|int4|awq|gptq|quanti[sz]\w*)\b"
)
_TOLD: Final = ("fp8-unsupported", "torch-arch-below-minimum", "torch-arch-outside-range")  # tables read these whole
_SM: Final = pattern(r"sm_?\d{2,3}a?")
_BF16: Final = pattern(r"\b(?:bf16|bfloat16|tf32)\b")


@rule(
    gives={
        "capability-too-low": "the installed GPU is older than part of the program requires",
        "fp8-unsupported": "8-bit floating point was requested on a GPU without it",
        "binaries-lack-architecture": "a program's kernels are for older generations than the GPU's",
    },
    triggers=("capability-asked",),
)
def capability_asked(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the required capability is above that of the message or of a device in the text.

    If neither is known, only in an error: a met requirement stops no program. Requirements quoted from a manual are
    no fault. bfloat16 has its own messages.
    """
    errors = (*seen.of(Raised), *(one for one in seen.of(Complaint) if one.certain))
    here = _here(seen, specs)
    asked = tuple(seen.facts("capability-asked"))
    for fact in asked:
        generation = fact.value("generation") or ""
        wanted = _capability(fact.value("minimum") or (generation if _SM.fullmatch(generation) else None), specs)
        if any(share_a_line(fact, known) for known in seen.facts("capability-below-minimum", *_TOLD)):
            continue
        if wanted is None or _BF16.search(fact.text):
            continue
        told = (one.value("capability") for one in (fact, *asked) if one is fact or share_a_line(fact, one))
        has = next((n for one in told if (n := _capability(one, specs)) is not None), min(here) if here else None)
        newest = _capability(fact.value("maximum"), specs)
        if newest is not None and (has is None or has[0] > newest[0]):  # too old or too new: the message does not say
            if has is not None or any(share_a_line(fact, error) for error in errors):
                shown = (("capability", _shown(has)),) if has is not None else ()
                yield replace(fact, name="binaries-lack-architecture", values=shown)
            continue
        if has is not None and has >= wanted:
            continue
        if has is None and not any(share_a_line(fact, error) for error in errors):
            continue
        name = "fp8-unsupported" if _NUMBER_FORMATS.search(fact.text) else "capability-too-low"
        values = (("minimum", _shown(wanted)), *((("capability", _shown(has)),) if has is not None else ()))
        yield replace(fact, name=name, values=values)


def _here(seen: Seen, specs: Specs) -> list[tuple[int, int]]:
    devices = [d for report in seen.snapshot.reports if report.backend == "nvidia" for d in report.devices]
    told = (d.compute_capability or (specs.compute_capability(d.name) if d.name else None) for d in devices)
    return [number for one in told if one is not None and (number := capability_of(one)) is not None]


def _capability(value: str | None, specs: Specs) -> tuple[int, int] | None:
    """Return the capability for "8.9", "89", "sm_90" or "Hopper"; None if no GPU has it."""
    if value is None:
        return None
    rows = (specs.table("nvidia/architectures") or {}).get("architectures", ())
    made = {row["name"]: row.get("compute_capabilities") or () for row in rows}
    if (named := made.get(value.lower())) is not None:
        return min((n for one in named if (n := capability_of(one)) is not None), default=None)
    number = capability_of(re.sub(r"(?i)^sm_?", "", value))
    return number if number is not None and any(_shown(number) in numbers for numbers in made.values()) else None


def _shown(number: tuple[int, int]) -> str:
    return f"{number[0]}.{number[1]}"
