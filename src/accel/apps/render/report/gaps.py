"""The chapter on what could not be read, and why: the same reason for eight devices is one row."""

from typing import Final

from accel.apps.render.report.document import Block, Paragraph, Section, Table
from accel.apps.render.report.given import Given
from accel.model.device import Gap

_MOST: Final = 4  # names per cell
_NOT_ASKED: Final = "Everything in the input could be read; what it does not mention is unknown."


def gaps(given: Given) -> Section:
    """Return the chapter: the gaps by reason, and unusable records of the spec database."""
    grouped: dict[str, list[Gap]] = {}
    for gap in given.diagnosis.gaps:
        grouped.setdefault(gap.reason.split(", from ")[0], []).append(gap)  # the same error from several calls
    rows = tuple(
        (
            _some([gap.fact for gap in same]),
            _some([name for gap in same if (name := gap.device or gap.backend or _place(gap.source))])
            or "this machine",
            reason,
        )
        for reason, same in grouped.items()
    )
    blocks: list[Block] = []
    if rows:
        blocks.append(Table(caption="What is not known", columns=("fact", "of", "why"), rows=rows))
    else:
        none = "All queries were answered." if given.facts.live else _NOT_ASKED
        blocks.append(Paragraph(text=none))
    blocks += [Paragraph(text=f"Specs not used: {problem}", tone="warning") for problem in given.specs.problems]
    return Section(name="gaps", title="What could not be read", blocks=tuple(blocks))


def _place(source: str | None) -> str | None:
    return "stdin" if source == "-" else source


def _some(names: list[str]) -> str:
    every = tuple(dict.fromkeys(names))
    return ", ".join(every[:_MOST]) + (f" and {len(every) - _MOST} more" if len(every) > _MOST else "")
