"""JSON as written by hy-smi: some commas between pairs are missing, and a text may be truncated.

    {"card0": {"Card Series": "BW", "Average Graphics Package Power (W)": "91.0""HCU use (%)": "0.0", "": "",
     "vram Total Memory (MiB)": 65520 "vram Total Used Memory (MiB)": 12}

Only what is needed is parsed: an object of objects of plain values. A pair counts only if its value is complete.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_TOKEN: Final = pattern(r"\"([^\"\n]*)\"|\"[^\"\n]*|([{}:])|([^\s\"{}:,\[\]]+)(?=[\s\"{},\]])")


def objects(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (name, pairs) for every object with a name and plain values, in text order."""
    name: str | None = None
    key: str | None = None
    pairs: dict[str, str] | None = None
    waiting = False  # the last string was followed by a colon
    for found in _TOKEN.finditer(text):
        mark, value = found[2], found[1] if found[1] is not None else found[3]
        if mark is None and value is None:  # an unterminated string: the text is truncated here
            key, waiting = None, False
        elif mark == "{":
            if pairs and name is not None:
                yield name, pairs
            name, key, pairs, waiting = (key if waiting else None), None, {}, False
        elif mark == "}":
            if pairs and name is not None:
                yield name, pairs
            name, key, pairs, waiting = None, None, None, False
        elif mark == ":":
            waiting = key is not None
        elif waiting and key is not None and pairs is not None:
            if key:
                pairs.setdefault(key, value)
            key, waiting = None, False
        else:
            key = value
    if pairs and name is not None:
        yield name, pairs
