"""Recognise what a text is if it is no report: a question, or something written for others to read.

a question   a sentence that ends in a question mark, or words that begin a question
a document   documentation, a change to a program, source, a configuration: more than half of the lines

Neither states anything about the machine. Without any complaint in the text, each shows that it is no report.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.segments import STATUS_OF

_MARKS: Final = ("?", "？")
_WRITTEN: Final = ("prose", "output")  # a title alone is not told from output
_FEWEST: Final = 8  # characters of a question


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the document and the first question, without a line: they are about the text, not about what is near."""
    prose = page.prose
    if prose.segments.is_mainly(STATUS_OF):
        yield Noted(fact="document-shown", text=next(line for line in page.lines if line.strip()).strip())
    asked = {prose.line_at(cue.start) for cue in prose.cues if cue.kind == "ask"}
    for number, line in enumerate(page.lines, 1):
        kind = prose.segments.kind(number)
        ends = kind in _WRITTEN and len(line) >= _FEWEST and line.rstrip().endswith(_MARKS)
        if ends or (number in asked and kind == "prose"):
            yield Noted(fact="question-asked", text=page.on_line(number)["text"])
            return
