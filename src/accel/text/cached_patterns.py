"""Regular expressions as the build compiled them, so that a start need not.

Compiling the two hundred expressions that one report needs takes a third of the whole command. The standard library's
compiler ends in one call of its engine, `_sre.compile(…)`: the build keeps the arguments of that call for each
expression (keep_patterns.py), and a start hands them to the engine again. They are good for the Python that made them
and no other. An expression that is not among them, another Python, a table that is missing or damaged: it is compiled
as ever. The engine checks code before it takes it.
"""

import _sre  # type: ignore[import-not-found]  # the interpreter's own, of which no types are written
import marshal
import os
import re
import sys
from array import array
from functools import cache
from typing import Any, Final

FILE: Final = "patterns.bin"
WORD: Final = "I"  # of the engine's code, as an array's type
HEAD: Final = 4  # bytes that tell how long what stands before the planes is
_PLANES: Final = array(WORD).itemsize  # bytes of a word
STAMP: Final = (sys.implementation.name, sys.version, _sre.MAGIC, _sre.CODESIZE)
_PATH: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_specs", FILE)


def compiled(text: str, flags: int) -> "re.Pattern[str]":
    """Return what re.compile(text, flags) would."""
    planes, size, table = _table()
    kept = table.get((text, int(flags)))
    if kept is not None:
        try:
            all_flags, first, end, groups, by_name, names = kept
            starts = range(0, len(planes), size)
            code = array(WORD, woven([planes[start + first : start + end] for start in starts])).tolist()
            made: re.Pattern[str] = _sre.compile(text, all_flags, code, groups, by_name, names)
            return made
        except (RuntimeError, TypeError, ValueError):  # nothing that this engine takes
            pass
    return re.compile(text, flags)


def woven(planes: list[bytes]) -> bytes:
    """Return the words whose first bytes are the first plane, whose second bytes the next, and so on.

    Most words of the code are small, so that all planes but one are noughts, which a wheel compresses to nothing.
    """
    words = bytearray(len(planes) * len(planes[0])) if planes else bytearray()
    for number, plane in enumerate(planes):
        words[number :: len(planes)] = plane
    return bytes(words)


@cache
def _table() -> tuple[bytes, int, dict[tuple[str, int], Any]]:
    """Return the planes of all code, the length of one, and the arguments of each (expression, flags).

    Without a table of this Python it holds none.
    """
    try:
        with open(_PATH, "rb") as file:
            length = int.from_bytes(file.read(HEAD), "little")
            stamp, size, table = marshal.loads(file.read(length))
            planes = file.read()
    except (OSError, EOFError, ValueError, TypeError):
        return b"", 0, {}
    return (planes, size, table) if stamp == STAMP and len(planes) == _PLANES * size else (b"", 0, {})
