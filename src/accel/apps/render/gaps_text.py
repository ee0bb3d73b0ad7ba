"""What is unknown and why, one line per reason: the same reason for eight devices is one line."""

from collections.abc import Iterable, Sequence
from typing import Final

from accel.apps.render.page import Paragraph
from accel.apps.render.units import plural
from accel.model.device import Gap

_MOST: Final = 8
_NO_NEWS: Final = "not supported"  # what a device never supports is in the JSON, but not worth showing


def gap_lines(gaps: Iterable[Gap]) -> Sequence[Paragraph]:
    """Return the lines to print, starting with a heading; [] if none is worth showing."""
    grouped: dict[str, list[Gap]] = {}
    for gap in gaps:
        if not gap.reason.startswith(_NO_NEWS):
            grouped.setdefault(gap.reason.split(", from ")[0], []).append(gap)  # the same error from several calls
    if not grouped:
        return []
    lines: list[Paragraph] = [Paragraph((f"\nNot known, for {plural(len(grouped), 'reason')}:", "bold"))]
    for reason, same in list(grouped.items())[:_MOST]:
        where = ", ".join(dict.fromkeys(name for gap in same if (name := gap.device or gap.backend or gap.source)))
        facts = _some(tuple(dict.fromkeys(gap.fact for gap in same)))
        said = reason if reason.startswith(facts) else f"{facts}: {reason}"
        lines.append(Paragraph(f"{where}: {said}" if where else said, indent=2))
    if len(grouped) > _MOST:
        lines.append(Paragraph(f"and {len(grouped) - _MOST} more: see --json", indent=2))
    return lines


def _some(facts: Sequence[str]) -> str:
    more = f" and {len(facts) - 3} more" if len(facts) > 4 else ""
    return ", ".join(facts[:3] if more else facts) + more
