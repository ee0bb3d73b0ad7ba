"""The one rich console: plain when piped, as wide as the terminal, no line ever cut inside a command."""

import sys
from typing import IO, TYPE_CHECKING, Any, Final

from accel.text.pattern import pattern

if TYPE_CHECKING:
    from rich.console import Console


_FILLING: Final = pattern(r" +(?=\n)")  # with which rich fills a table's lines


class _Trimmed:
    """A stream on which no line ends in blanks: what is piped is kept, compared and pasted."""

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
    """Return a console on stdout. Piped, it is 100 columns wide, or as COLUMNS says."""
    import os

    from rich.console import Console

    if sys.stdout.isatty():
        return Console(file=sys.stdout, highlight=False, soft_wrap=False, emoji=False, markup=False)
    width = None if os.environ.get("COLUMNS") else 100
    piped: Any = _Trimmed(sys.stdout)
    return Console(file=piped, width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)
