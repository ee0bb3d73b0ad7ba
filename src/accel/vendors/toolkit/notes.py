"""Short ways to create observations: from a row that a reader parsed, a regular expression match, or a probe."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Noted, Observation
from accel.text.lines import line_at
from accel.vendors.contract.backend import Reading

if TYPE_CHECKING:
    import re

_LONGEST: Final = 1000  # characters of a quotation


def noted(
    fact: str,
    text: str,
    source: str,
    line: int | None = None,
    last_line: int | None = None,
    /,
    *,
    of: str | None = None,
    **values: str | None,
) -> Noted:
    """Return what a text shows in a line, or up to last_line; without a line, what was measured on this machine.

    text    quoted, with whitespace collapsed
    of      the id of the device that it is about
    values  without those that are None or empty
    """
    return Noted(
        fact=fact,
        text=" ".join(text.split())[:_LONGEST],
        source=source,
        line=line,
        last_line=last_line or line,
        device=of,
        grade="measured" if line is None else "printed",
        values=tuple((key, value) for key, value in values.items() if value),
    )


def noted_at(fact: str, hit: "re.Match[str]", source: str, /, *, of: str | None = None, **values: str | None) -> Noted:
    """Return what a match in a text shows; its whole lines are quoted."""
    text, start = hit.string, hit.start() + len(hit[0]) - len(hit[0].lstrip())
    end = start + max(len(hit[0].strip()) - 1, 0)
    after = text.find("\n", end)
    whole = text[text.rfind("\n", 0, start) + 1 : after if after >= 0 else len(text)]
    quoted = whole if len(whole) <= _LONGEST else hit[0]
    return noted(fact, quoted, source, line_at(text, start), line_at(text, end), of=of, **values)


def reading_of(source: str, found: Iterable[Observation]) -> Iterator[Reading]:
    """Yield a reading with these observations, sorted by line; nothing if there are none."""
    ordered = tuple(sorted(found, key=lambda one: one.line or 0))
    if ordered:
        yield Reading(source=source, observations=ordered)
