"""Load regular expressions that were compiled at build time, to start faster.

Compiling the two hundred expressions that one report needs takes a third of the command's run time. The standard
library's compiler ends in one call of its engine, `_sre.compile(…)`. The build stores the arguments of that call for
each expression (cache_patterns.py), and at start they are passed to the engine again. They are valid only for the
Python version that made them. An expression is compiled as usual if it is not in the table, if the Python version
differs, or if the table is missing or damaged. The engine validates code before it uses it.
"""

import _sre  # type: ignore[import-not-found]  # internal module without type stubs
import marshal
import os
import re
import sys
from array import array
from functools import cache
from typing import Any, Final

FILE: Final = "patterns.bin"
WORD: Final = "I"  # array type code of the engine's code
HEAD: Final = 4  # bytes of the length field before the planes
_PLANES: Final = array(WORD).itemsize  # bytes per word
STAMP: Final = (sys.implementation.name, sys.version, _sre.MAGIC, _sre.CODESIZE)
_PATH: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_specs", FILE)


def compiled(text: str, flags: int) -> "re.Pattern[str]":
    """Return the same as re.compile(text, flags), from the table if possible."""
    planes, size, table = _table()
    kept = table.get((text, int(flags)))
    if kept is not None:
        try:
            all_flags, first, end, groups, by_name, names = kept
            starts = range(0, len(planes), size)
            code = array(WORD, woven([planes[start + first : start + end] for start in starts])).tolist()
            made: re.Pattern[str] = _sre.compile(text, all_flags, code, groups, by_name, names)
            return made
        except (RuntimeError, TypeError, ValueError):  # not accepted by this engine
            pass
    return re.compile(text, flags)


def woven(planes: list[bytes]) -> bytes:
    """Interleave byte planes into words: the first plane has the first byte of each word, and so on.

    Most words of the code are small, so all planes but one are nearly all zeros and compress well in a wheel.
    """
    words = bytearray(len(planes) * len(planes[0])) if planes else bytearray()
    for number, plane in enumerate(planes):
        words[number :: len(planes)] = plane
    return bytes(words)


@cache
def _table() -> tuple[bytes, int, dict[tuple[str, int], Any]]:
    """Return the byte planes of all code, the length of one plane, and the arguments by (expression, flags).

    Returns empty values if there is no table for this Python version.
    """
    try:
        with open(_PATH, "rb") as file:
            length = int.from_bytes(file.read(HEAD), "little")
            stamp, size, table = marshal.loads(file.read(length))
            planes = file.read()
    except (OSError, EOFError, ValueError, TypeError):
        return b"", 0, {}
    return (planes, size, table) if stamp == STAMP and len(planes) == _PLANES * size else (b"", 0, {})
