"""The lanes of a PCIe link, as printed by mthreads-gmi: "4x(16x)"."""

from typing import Final

from accel.text.pattern import pattern

_LANES: Final = pattern(r"(\d{1,2})x\s*(?:\((\d{1,2})x\))?")


def lanes(text: str | None) -> tuple[int | None, int | None]:
    """Return (lanes in use, maximum lanes) from "4x(16x)"; None for what is missing."""
    found = _LANES.fullmatch((text or "").strip())
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (None, None)
