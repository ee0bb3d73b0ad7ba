"""Recognise mistakes in the program text of a report that explain its error: specs/frameworks/program_mistakes.yaml.

    num_labels=5 … labels.unique() = tensor([1, 2, 3, 4, 5])      with  device-side assert triggered
    PARAMETER num_ctx 131072                                      with  cudaMalloc failed: out of memory

Program text is matched by shapes (accel.text.program_shapes), and the numbers in it are compared. What is found counts
only beside one of the errors that it explains: checks ask for both.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any, Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted, decimal_number
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.text.program_shapes import Shape, Statement

FACT: Final = "mistake-in-program"
_TABLE: Final = "frameworks/program_mistakes"
_COMPARED: Final = {">=": ge, "<=": le, "!=": ne, ">": gt, "<": lt}
_BILLIONS: Final = pattern(
    r"(?<![a-z\d.])(?:[a-z]{1,4})?(?:(?P<experts>\d{1,3})x)?(?P<count>\d{1,4}(?:\.\d{1,3})?)b(?![a-z\d])"
)
_COMPARISON: Final = pattern(r"(?P<left>[^<>=!?]{1,60}) (?P<sign>>=|<=|!=|>|<) (?P<right>[^<>=!?]{1,60}?)(?: \?)?")
_SPECIAL: Final = pattern(r"\{[^}]{1,60}\}|<[^>]{1,200}>|\.\.\.|!\S{1,60}")
_WORD: Final = pattern(r"[a-z_][a-z0-9_]{1,80}")
_MOST_PLACES, _MOST_COMBINED, _MOST_LINES = 20, 200, 4000


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each mistake once, at the statement that its row names first."""
    table = page.specs.table(_TABLE)
    if not table:
        return
    text = page.text.lower()
    words = page.specs.cached((_TABLE, "words"), lambda: [_words_of(row) for row in table["mistakes"]])
    rows = [row for row, parts in zip(table["mistakes"], words, strict=True) if _may_hold(parts, text)]
    if not rows:
        return
    from accel.text.program_shapes import statements  # few reports show a program

    read = tuple(statements(page.lines[:_MOST_LINES]))
    for row in rows:
        if any(_places(page, shape, read, {}) for shape in row.get("lacks", ())):
            continue
        found = _combined(page, row["shows"], read, {}, (), bool(row.get("in_order")))
        for values, place in islice(found, _MOST_COMBINED):
            values = _with_derived(page, row, read, values, table["billions"])
            if all(_holds(one, values) for one in row.get("holds", ())):
                yield Noted(
                    fact=FACT,
                    values=(("cause", row["cause"]), ("explains", " ".join(row["errors"])), *sorted(values.items())),
                    text=" ".join(" ".join(page.lines[place.line - 1 : place.last_line]).split())[:1000],
                    line=place.line,
                    last_line=place.last_line,
                )
                break


def _may_hold(parts: Sequence[Sequence[Sequence[str]]], text: str) -> bool:
    """Return whether a text has, for each part, every literal word of one of its shapes."""
    for part in parts:  # loops: hundreds of words in each text
        for words in part:
            for word in words:
                if word not in text:
                    break
            else:
                break
        else:
            return False
    return True


def _words_of(row: Mapping[str, Any]) -> list[list[tuple[str, ...]]]:
    return [[_literal(shape) for shape in part] for part in row["shows"]]


def _literal(shape: str) -> tuple[str, ...]:
    bare = _SPECIAL.sub(" ", shape).lower()
    return tuple(word for word in _WORD.findall(bare))


def _shape(page: Page, text: str) -> "Shape":
    from accel.text.program_shapes import compile_shape

    return page.specs.cached((_TABLE, text), lambda: compile_shape(text))


def _combined(
    page: Page,
    shows: Sequence[Sequence[str]],
    read: "Sequence[Statement]",
    values: Mapping[str, str],
    places: "tuple[Statement, ...]",
    in_order: bool,
) -> "Iterator[tuple[Mapping[str, str], Statement]]":
    """Yield the values with which every part of a row is in the text, and the statement of its first part."""
    if not shows:
        yield values, places[0]
        return
    found = [place for shape in shows[0] for place in _places(page, shape, read, values)]
    for more, place in sorted(found, key=lambda one: page.prose.segments.kind(one[1].line) == "prose"):  # code first
        if not in_order or not places or place.line > places[-1].line:
            yield from _combined(page, shows[1:], read, more, (*places, place), in_order)


def _places(
    page: Page, text: str, read: "Sequence[Statement]", values: Mapping[str, str]
) -> "list[tuple[dict[str, str], Statement]]":
    from accel.text.program_shapes import matched

    shape = _shape(page, text)
    return [(more, one) for one in read for more in matched(shape, one, values)][:_MOST_PLACES]


def _with_derived(
    page: Page,
    row: Mapping[str, Any],
    read: "Sequence[Statement]",
    values: Mapping[str, str],
    sizes: Mapping[str, float],
) -> dict[str, str]:
    """Return the values, those of the row's optional shapes, and what follows from a model's name."""
    found = dict(values)
    for alternatives in row.get("may", ()):
        found = next((more for shape in alternatives for more, _ in _places(page, shape, read, found)), found)
    if model := found.get("model"):
        name = model.lower()
        size = next((str(count) for part, count in sizes.items() if part in name), None)
        written = _BILLIONS.search(name)
        if size is None and written and not written["experts"]:
            size = written["count"]
        found |= {"base": re.split(r"[/:]", model)[-1] or model} | ({"billions": size} if size else {})
    return found


def _holds(condition: str, values: Mapping[str, str]) -> bool:
    """Return whether a comparison of products holds: "billions * 4 > capacity". If it ends in "?", it also does where a
    number is not known."""
    sides_and_sign = _COMPARISON.fullmatch(condition)
    if sides_and_sign is None:
        raise ValueError(f"expected a comparison: {condition}")
    left, sign, right = sides_and_sign.group("left", "sign", "right")
    one, other = _product(left, values), _product(right, values)
    if one is None or other is None:
        return condition.endswith("?")
    return bool(_COMPARED[sign](one, other))


def _product(side: str, values: Mapping[str, str]) -> float | None:
    result = 1.0
    for factor in side.split("*"):
        number = decimal_number(values.get(factor.strip(), factor.strip()))
        if number is None:
            return None
        result *= number
    return result
