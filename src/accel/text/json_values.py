"""Find JSON values inside a text."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from accel.text.lines import line_at

_MOST_TRIES: Final = 200  # a text may contain other JSON, and truncated JSON


def json_values(text: str, opening: str, key: str) -> Iterator[tuple[Any, int]]:
    """Yield (value, first line) of each JSON value that contains `key` and whose `opening` is the first in its line.

    >>> list(json_values('$ tool -j\\n[{"chip": 1}]\\n', "[", '"chip"'))
    [([{'chip': 1}], 2)]
    """
    decoder = json.JSONDecoder()
    end = tried = 0
    for found in re.finditer(rf"^[^\"\n{re.escape(opening)}]*{re.escape(opening)}", text, re.MULTILINE):
        at = found.end() - 1
        if at < end:
            continue
        if tried >= _MOST_TRIES or text.find(key, at) < 0:
            return
        tried += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if key in text[at:end]:
            yield value, line_at(text, at)
