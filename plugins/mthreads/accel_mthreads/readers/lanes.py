"""The lanes of a PCIe link, as mthreads-gmi prints them: "4x(16x)"."""

from typing import Final

from accel.text.pattern import pattern

_LANES: Final = pattern(r"(\d{1,2})x\s*(?:\((\d{1,2})x\))?")


def lanes(text: str | None) -> tuple[int | None, int | None]:
    """Return how many lanes of how many are in use of "4x(16x)"; None for what is not there."""
    found = _LANES.fullmatch((text or "").strip())
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (None, None)
