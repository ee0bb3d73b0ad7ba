"""Filters for chips."""

import re

from accel.model.chip import Chip
from accel.model.rates import best_rate
from accel.specs.load import Specs


def select(
    specs: Specs,
    *,
    vendor: str | None = None,
    architecture: str | None = None,
    year: str | None = None,
    dtype: str | None = None,
    memory: str | None = None,
) -> tuple[Chip, ...]:
    """Return the chips that match all given filters; a chip does not match a filter if the fact is unknown.

    year     year of release: "2023", "2022-2024", "2023-"
    memory   GiB: "24" is at least 24, "24-48" between, "-16" at most
    dtype    a number format that the chip or its architecture computes in: "bf16"
    Raises ValueError for a range that cannot be parsed, and BadInput for an unknown number format.
    """
    years = span(year) if year else None
    sizes = span(memory.lower().rstrip("gib"), open_ended=True) if memory else None
    kept = []
    for chip in specs.chips(vendor):
        if architecture and architecture.lower() != chip.architecture:
            continue
        if years and not (chip.released and years[0] <= int(chip.released[:4]) <= years[1]):
            continue
        if sizes and not (chip.memory_bytes and sizes[0] <= chip.memory_bytes / 2**30 <= sizes[1]):
            continue
        if dtype and not _computes(specs, chip, dtype.lower()):
            continue
        kept.append(chip)
    return tuple(kept)


def span(text: str, open_ended: bool = False) -> tuple[float, float]:
    """Return the minimum and maximum of a range.

    >>> span("2022-2024"), span("2023"), span("24", open_ended=True)
    ((2022.0, 2024.0), (2023.0, 2023.0), (24.0, inf))
    """
    found = re.fullmatch(r"(?:>=\s*)?(?:(\d{1,9}(?:\.\d{1,9})?)\s*)?(?:(-)\s*)?(\d{1,9}(?:\.\d{1,9})?)?", text.strip())
    if found is None or not (found[1] or found[3]):
        raise ValueError(f"expected a number or a range like 24-48, got {text!r}")
    low = float(found[1] or 0)
    if found[2]:
        return low, float(found[3] or "inf")
    return low, float("inf") if open_ended or ">" in text else low


def _computes(specs: Specs, chip: Chip, dtype: str) -> bool:
    from accel.specs.number_formats import computes, format_named, of_chip

    wanted = format_named(specs, dtype)
    answer = computes(specs, (of_chip(chip),), wanted)
    return best_rate(chip, wanted.name) is not None if answer is None else answer
