"""JSON as hy-smi writes it: commas are missing between some pairs, and a text may be cut.

    {"card0": {"Card Series": "BW", "Average Graphics Package Power (W)": "91.0""HCU use (%)": "0.0", "": "",
     "vram Total Memory (MiB)": 65520 "vram Total Used Memory (MiB)": 12}

Only what is needed is read: an object of objects of plain values. A pair counts once its value has ended.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_TOKEN: Final = pattern(r"\"([^\"\n]*)\"|\"[^\"\n]*|([{}:])|([^\s\"{}:,\[\]]+)(?=[\s\"{},\]])")


def objects(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (name, pairs) of every object that has a name and plain values, in the text's order."""
    name: str | None = None
    key: str | None = None
    pairs: dict[str, str] | None = None
    waiting = False  # a colon stood after the last string
    for found in _TOKEN.finditer(text):
        mark, value = found[2], found[1] if found[1] is not None else found[3]
        if mark is None and value is None:  # a string that does not end: the text is cut here
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
