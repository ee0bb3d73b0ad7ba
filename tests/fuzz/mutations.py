"""One input out of others: cut, repeated, spliced, and with values replaced by those that programs get wrong.

Everything is drawn from the Random that is given, so that a seed, or hypothesis, can make the same input again.
"""

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

VALUES: Final = (
    *("", " ", "0", "-1", "-0", "1e999", "-Infinity", "NaN", "nan", "inf", "4294967295", "18446744073709551616"),
    *("9" * 400, "0x" + "f" * 40, "1.2.3.4.5.6.7.8.9", "1.0a.a.a.a.a.a", "1!2.0+cu.1.1", "N/A", "ERR!"),
    *("٣", "½", "１２", "²", "\u0660" * 20, "é" * 50, "\U0001f4a5", "\ud800", "\ufeff", "\ufffe"),
    *("\x00", "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e", "\u2066", "\u200b", "\r", "\x0b", "\x0c", "\x85"),
    *("$(id)", "`id`", ";id;", "|sh", "&&", "${IFS}", "'", '"', "\\", "../" * 8, "<script>", "[x](javascript:y)"),
    *("=" * 300, "|" * 200, "-" * 300, ":" * 200, "." * 300, " " * 3000, "\t" * 200, "(" * 300, "[" * 300, "{" * 300),
    *("null", "true", "[]", "{}", "Traceback (most recent call last):", "RuntimeError:", "$ nvidia-smi", "GPU 0:"),
    *("%s%n", "{0}", "a" * 5000, "\u2028", "torch 2.1.0", "[Not Supported]"),
)
_WORD: Final = re.compile(r"\S+")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_MOST_STEPS: Final = 5
_LONGEST: Final = 200_000

Change = Callable[[str, Random, Sequence[str]], str]


def mutated(seeds: Sequence[str], random: Random) -> str:
    """Return a seed after one to five changes."""
    text = random.choice(seeds)
    for _ in range(random.randint(1, _MOST_STEPS)):
        text = random.choice(_CHANGES)(text, random, seeds)
    return text[:_LONGEST]


def mutated_json(seeds: Sequence[str], random: Random) -> str:
    """Return a JSON document after some of its values, keys and elements were changed, and rarely its text."""
    document = json.loads(random.choice(seeds))
    for _ in range(random.randint(1, _MOST_STEPS)):
        _change_inside(document, random)
    text = json.dumps(document, ensure_ascii=random.random() < 0.5)
    return _damaged(text, random, seeds) if random.random() < 0.1 else text


def _change_inside(document: Any, random: Random) -> None:
    """Walk down to some container, and change one thing in it."""
    at = document
    while True:
        values = at.values() if isinstance(at, dict) else at
        inner = [value for value in values if isinstance(value, dict | list) and value]
        if not inner or random.random() < 0.15:
            break
        at = random.choice(inner)
    if not at:
        return
    key: Any = random.choice(list(at)) if isinstance(at, dict) else random.randrange(len(at))
    match random.randrange(6):
        case 0:
            del at[key]
        case 1 if isinstance(at, list):
            at.insert(key, deepcopy(at[random.randrange(len(at))]))
        case 1:
            at[random.choice(VALUES)] = deepcopy(at[key])
        case 2:
            at[key] = _nested(random.choice((10, 200, 2000)))
        case 3 if isinstance(at[key], str):
            at[key] = _damaged(at[key], random, (at[key],))
        case _:
            at[key] = deepcopy(random.choice(_JSON_VALUES))


_JSON_VALUES: Final = (None, True, -1, 0, 1.5, 2**63, 2**70, -(2**80), 1e308, [], {}, [None], {"": None}, *VALUES)


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(min(depth, 400)):  # more of it, json.dumps itself cannot write
        value = [value]
    return value


def _cut(text: str, random: Random, seeds: Sequence[str]) -> str:
    return text[: random.randrange(len(text) + 1)]


def _without_head(text: str, random: Random, seeds: Sequence[str]) -> str:
    return text[random.randrange(len(text) + 1) :]


def _damaged(text: str, random: Random, seeds: Sequence[str]) -> str:
    """Replace, drop or put in some characters."""
    signs = list(text)
    for _ in range(random.randint(1, 8)):
        place = random.randrange(len(signs) + 1)
        if random.random() < 0.5 and place < len(signs):
            signs[place] = random.choice(
                ("", chr(random.randrange(256)), chr(random.randrange(0x3000)), random.choice(VALUES))
            )
        else:
            signs.insert(place, chr(random.randrange(128)))
    return "".join(signs)


def _value_replaced(text: str, random: Random, seeds: Sequence[str]) -> str:
    return _replaced(_WORD, text, random)


def _number_replaced(text: str, random: Random, seeds: Sequence[str]) -> str:
    return _replaced(_NUMBER, text, random)


def _replaced(what: re.Pattern[str], text: str, random: Random) -> str:
    found = list(what.finditer(text))
    if not found:
        return text + random.choice(VALUES)
    chosen = random.choice(found)
    by = random.choice(VALUES) if random.random() < 0.7 else random.choice(found)[0]
    return text[: chosen.start()] + by + text[chosen.end() :]


def _line_dropped(text: str, random: Random, seeds: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[random.randrange(len(lines))]
    return "".join(lines)


def _line_repeated(text: str, random: Random, seeds: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        place = random.randrange(len(lines))
        lines[place:place] = [lines[place]] * random.choice((1, 2, 50))
    return "".join(lines)


def _lines_moved(text: str, random: Random, seeds: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    random.shuffle(lines)
    return "".join(lines)


def _spliced(text: str, random: Random, seeds: Sequence[str]) -> str:
    other = random.choice(seeds)
    return text[: random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1) :]


def _joined(text: str, random: Random, seeds: Sequence[str]) -> str:
    return f"{text}\n{random.choice(seeds)}"


def _indented(text: str, random: Random, seeds: Sequence[str]) -> str:
    by = random.choice(("    ", "\t", "> ", "| ", " " * 500, "(rank 0) ", "2026-01-01 00:00:00,000 ERROR ", "\x1b[31m"))
    return "".join(by + line for line in text.splitlines(keepends=True))


def _wrapped(text: str, random: Random, seeds: Sequence[str]) -> str:
    width = random.randint(20, 100)
    return "\n".join(line[at : at + width] for line in text.splitlines() for at in range(0, max(1, len(line)), width))


def _in_one_line(text: str, random: Random, seeds: Sequence[str]) -> str:
    return text.replace("\n", random.choice((" ", "\\n", "\r", "")))


_CHANGES: Final[tuple[Change, ...]] = (
    *(_cut, _without_head, _damaged, _value_replaced, _number_replaced, _line_dropped, _line_repeated),
    *(_lines_moved, _spliced, _joined, _indented, _wrapped, _in_one_line, _damaged, _value_replaced, _number_replaced),
)
