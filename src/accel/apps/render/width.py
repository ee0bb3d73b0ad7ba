"""The width of a page on stdout, and lines wrapped to it."""

import os
import sys
from typing import Final

PIPED_WIDTH: Final = 100  # columns, unless COLUMNS is set
_NARROWEST: Final = 20
_WIDEST: Final = 1000  # tables are padded to their width


def page_width() -> int:
    """Return the width of a page on stdout in columns: COLUMNS, else the terminal's width, else PIPED_WIDTH."""
    asked = os.environ.get("COLUMNS", "")
    columns = int(asked) if asked.isdecimal() and len(asked) < 9 else 0
    if not columns:
        try:
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
        except (OSError, ValueError):  # not a terminal, or no descriptor at all
            pass
    return min(max(columns, _NARROWEST), _WIDEST) if columns else PIPED_WIDTH


def wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    """Return the text as lines of at most this width, all but the first indented."""
    from textwrap import wrap

    return wrap(text, max(width, _NARROWEST), subsequent_indent=indent, break_on_hyphens=False)
