"""Recognise that the writer asks something: a sentence that ends in a question mark, or words that begin a question.

A question states nothing about the machine. Without any complaint in the text, it shows that the text is no report.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted

FACT: Final = "question-asked"
_MARKS: Final = ("?", "？")
_WRITTEN: Final = ("prose", "output")  # a title alone is not told from output
_FEWEST: Final = 8  # characters of a question


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the first question, without a line: it is about the text, and explains nothing near it."""
    prose = page.prose
    asked = {prose.line_at(cue.start) for cue in prose.cues if cue.kind == "ask"}
    for number, line in enumerate(page.lines, 1):
        kind = prose.segments.kind(number)
        ends = kind in _WRITTEN and len(line) >= _FEWEST and line.rstrip().endswith(_MARKS)
        if ends or (number in asked and kind == "prose"):
            yield Noted(fact=FACT, text=page.on_line(number)["text"])
            return
