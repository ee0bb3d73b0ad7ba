"""Removes what people write around a product's name: words that are in no product's name.

Seen    "Lenovo Legion RTX 4080 Laptop"  "魔改2080Ti 22G"  "p3.8xlarge instance"
        "|   0  Tesla T4            On   | 00000000:00:1E.0 Off |"

A word is removed only if it cannot distinguish products: it has no digit, is in no product's name, and does
not look like a misspelt word that does ("laptp", "supr").
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.names.counts import Rest
from accel.names.index import Index, name_words, vocabulary_of
from accel.names.places import is_common
from accel.names.tokens import parts_of, raw_words
from accel.text.pattern import pattern

_ARTICLE: Final = pattern(r"^(?:an?|the|0) +(?=[^\W\d])(?!x )")  # or the first device's index
_ROW: Final = pattern(r"^\d{1,2} +(?=[^\W\d])|(?: +(?:n/a|on|off|ok)(?!\w))+$")  # index and state in a row of a table
_SHORT: Final = ("my", "an", "in", "on", "of", "is", "or", "vm", "hp", "oc")
_LETTER: Final = pattern(r"a +\d{3,4}(?!\d)", exact_case=True)
_LIKE: Final = 0.8  # likeness from which a word is perhaps a telling one, mistyped
_MOST_WORDS: Final = 40
_MOST_CELLS: Final = 12
_MOST_KEPT: Final = 4000  # words for which the result is cached


def without_article(text: str) -> str:
    """Return the text without the article or index at its start: "a single A100", "0 NVIDIA L40S"."""
    return _ARTICLE.sub("", text)


def without_letter(text: str) -> str | None:
    """Return the text without an "a" before a number, which may be an article or a model's letter.

    None if there is none.

    "a 580" may be an Arc A580, or a Radeon RX 580.
    """
    return text[2:].lstrip() if _LETTER.match(text) else None


def cells(text: str) -> Iterator[str]:
    """Yield the cells of a tool's table row that contain a letter; nothing if the text is not a row."""
    if "|" in text:
        parts = (part for column in text.split("|") for part in column.split("  "))
        found = [_ROW.sub("", part.strip()) for part in parts if any(sign.isalpha() or sign == "_" for sign in part)]
        yield from found if len(found) <= _MOST_CELLS else ()


def segments(text: str) -> list[str]:
    """Return the parts of a text between commas, brackets and plus signs: "Apple M4 Max, 16 cores"."""
    for sign in ("，", "（", "）", "；", "、", ";", " + ", " (", ") ", " / ", " — ", "`"):
        text = text.replace(sign, ",")
    return [part for each in text.split(",") if (part := each.strip(" *()."))]


def without_neutral(text: str, index: Index, more: Iterable[str] = ()) -> Rest | None:
    """Return the text without uninformative words, such as "laptop" at its end; None if nothing changes.

    more  further uninformative words: those of a machine's maker
    """
    neutral = frozenset(more)
    kept: list[str] = []
    aside: list[str] = []
    words = _with_slashes(text, index)
    if len(words) > _MOST_WORDS:
        return None
    for place, word in enumerate(words):
        again = word.isalpha() and "/" not in words and word in words[place + 1 :]  # "Hailo Ltd. Hailo-8"
        of_die = word in index["dies"] and _is_die_alone(word, words, index)  # "RTX 3060 GA104", but "MLU370-S4"
        (aside if again or of_die or word in neutral or is_neutral(word, index) else kept).append(word)
    portable = vocabulary_of(index).portable
    ordered = kept if "/" in kept else sorted(kept, key=lambda word: word in portable)  # "laptop RTX 4060"
    return Rest(" ".join(ordered), None, tuple(aside)) if kept and (aside or ordered != kept) else None


def _is_die_alone(word: str, words: list[str], index: Index) -> bool:
    """Return whether a die's word is not also a product's, and another word has a model."""
    if word.isalpha() or not any(other != word and any(map(str.isdecimal, other)) for other in words):
        return False
    return not any(word in key.split() for key in index["names"] if word in key)


def _with_slashes(text: str, index: Index) -> list[str]:
    known = vocabulary_of(index)
    found: list[str] = []
    for part in text.split("/"):
        found += ["/", *raw_words(part, known)]
    return found[1:]


def is_neutral(word: str, index: Index) -> bool:
    """Return whether a word has no digit, is in no product's name, and does not resemble one that is."""
    known: dict[str, bool] = index.setdefault("neutral words", {})
    if word not in known:
        if len(known) > _MOST_KEPT:
            known.clear()
        known[word] = _is_neutral(word, index)
    return known[word]


def _is_neutral(word: str, index: Index) -> bool:
    if word == "/" or not word.isalpha() or (word.isascii() and len(word) < 3 and word not in _SHORT):
        return False
    telling = telling_of(index)
    if word not in telling and len(word) > 2 and is_common(word, index):
        return True
    if word in telling or any(part in telling for part in parts_of(word, vocabulary_of(index))):
        return False
    if not word.isascii():
        return not any(sign in word for sign in vocabulary_of(index).telling)
    return not any(looks_like(word, other) for other in telling if len(other) > 3)


def looks_like(word: str, other: str) -> bool:
    """Return whether a word may be a misspelling of the other one."""
    if word.startswith(other):
        return True
    shared = sum(sign in other for sign in word)
    if 2 * min(shared, len(other)) <= _LIKE * (len(word) + len(other)):
        return False
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, word, other, autojunk=False)
    return matcher.real_quick_ratio() > _LIKE and matcher.quick_ratio() > _LIKE and matcher.ratio() > _LIKE


def telling_words(*indexes: Index) -> frozenset[str]:
    """Return the words without digits in the indexes' names, and those in a vocabulary."""
    known = vocabulary_of(indexes[0])
    of_names = {word for index in indexes for word in name_words(index) if word.isalpha()}
    return frozenset(of_names).union(
        known.brands, known.silent - known.partners, known.series, known.fronts, known.backs, known.forms,
        known.portable, known.telling,
    )  # fmt: skip


def telling_of(index: Index) -> frozenset[str]:
    """Return the words that distinguish products, including those without digits, cached in the index."""
    if "telling" not in index:
        outlines = index.get("outlines of")
        index["telling"] = telling_words(index, *((outlines(),) if outlines is not None else ()))
    found: frozenset[str] = index["telling"]
    return found
