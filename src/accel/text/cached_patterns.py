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
from typing import Final

FILE: Final = "patterns.bin"
WORD: Final = "I"  # array type code of the engine's code
HEAD: Final = 4  # bytes of the length field before the index
_BYTES: Final = array(WORD).itemsize  # per word
STAMP: Final = (sys.implementation.name, sys.version, _sre.MAGIC, _sre.CODESIZE)
_PATH: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_specs", FILE)


def compiled(text: str, flags: int) -> "re.Pattern[str]":
    """Return the same as re.compile(text, flags), from the table if possible."""
    starts, kept = _table()
    start = starts.get(int(flags), {}).get(text)
    if start is not None:
        try:
            all_flags, planes, groups, by_name, names = marshal.loads(kept[start:])
            code = array(WORD, woven(planes)).tolist()
            made: re.Pattern[str] = _sre.compile(text, all_flags, code, groups, by_name, names)
            return made
        except (EOFError, RuntimeError, TypeError, ValueError):  # damaged, or not accepted by this engine
            pass
    return re.compile(text, flags)


def parted(words: bytes) -> bytes:
    """Return the bytes of words in planes: the first byte of each word, then the second of each, and so on.

    Most words of the code are small, so all planes but one are nearly all zeros and compress well in a wheel.
    """
    return b"".join(words[number::_BYTES] for number in range(_BYTES))


def woven(planes: bytes) -> bytes:
    """Return the bytes of words from their planes."""
    size = len(planes) // _BYTES
    words = bytearray(len(planes))
    for number in range(_BYTES):
        words[number::_BYTES] = planes[number * size : (number + 1) * size]
    return bytes(words)


@cache
def _table() -> tuple[dict[int, dict[str, int]], memoryview]:
    """Return where the arguments of each expression start, by flags and expression, and the arguments, marshalled.

    Returns empty values if there is no table for this Python version.
    """
    try:
        with open(_PATH, "rb", buffering=0) as file:
            length = int.from_bytes(file.read(HEAD), "little")
            stamp, size, starts = marshal.loads(file.read(length))
            kept = memoryview(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return {}, memoryview(b"")
    return (starts, kept) if stamp == STAMP and len(kept) == size else ({}, memoryview(b""))
