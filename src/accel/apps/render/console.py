"""The single rich console: plain when piped, as wide as the terminal, never breaking a line inside a command.

Text is made printable here, segment by segment, because the control sequences that rich adds for styles are not
printable.
"""

import os
import sys
from collections.abc import Iterable
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final

from accel.apps.render.width import page_width
from accel.model.printable import printable
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from rich.console import Console


_FILLING: Final = pattern(r" +(?=\n)")  # blanks that rich appends to a table's lines


class _Trimmed:
    """A stream that strips trailing blanks from lines: piped output is saved, compared and pasted."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_FILLING.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False


def console() -> "Console":
    """Return a console on stdout. When piped it is 100 columns wide, or as COLUMNS says."""
    stream: Any = sys.stdout
    stream = getattr(stream, "styled", stream) if stream.isatty() else _Trimmed(stream)
    sized = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}  # rich takes any
    return _printable_console()(
        file=stream, width=page_width(), highlight=False, emoji=False, markup=False, _environ=sized
    )


@cache
def _printable_console() -> "type[Console]":
    """Return rich's console class with the text of each segment made printable; control segments are rich's own."""
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render(self, *given: Any, **named: Any) -> Iterable[Segment]:
            for segment in super().render(*given, **named):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1, which means "found"

    return PrintableConsole
