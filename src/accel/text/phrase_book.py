"""Match many phrases at once, trying only those with an anchor in the text.

A book is built once, when the tables are compiled, as plain lists and dicts, so loading it compiles nothing. Its rows
may be lines of JSON: a text needs about fifty of several thousand, and parsing all would take longer than everything
else.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from accel.text.phrase import Match, Phrase, compile_phrase, find
from accel.text.words import Words

_PREFIXES: Final = "*"  # index key for anchors that are prefixes of words


class PhraseBook:
    """Phrases with their tags, which may be any plain data. An item of "rows" is a list, or that list as JSON."""

    def __init__(self, book: Mapping[str, Any]) -> None:
        self._rows: list[Any] = book["rows"]
        self._index: Mapping[str, list[int]] = {k: v for k, v in book["index"].items() if k != _PREFIXES}
        self._beginnings: Mapping[str, list[int]] = book["index"].get(_PREFIXES, {})
        self._tags: list[Any] = book["tags"]
        self._read: dict[int, tuple[Phrase, int, Any]] = {}

    def tries(self, counts: Mapping[str, int]) -> int:
        """Return an upper bound of the match attempts in a text. counts: how often each word occurs in it."""
        index = self._index
        tried = sum(counts[word] * len(index[word]) for word in counts.keys() & index.keys())
        ordered = sorted(counts)
        for beginning, rows in self._beginnings.items():
            for word in ordered[bisect_left(ordered, beginning) :]:
                if not word.startswith(beginning):
                    break
                tried += counts[word] * len(rows)
        return tried

    def find(self, words: Words) -> Iterator[tuple[Any, Match]]:
        """Yield (tag, match) for every match in the text, phrase by phrase."""
        places, index = words.places, self._index
        wanted = {row for word in places.keys() & index.keys() for row in index[word]}
        ordered = sorted(places)
        lines: dict[str, tuple[list[str], frozenset[str]]] = {}
        for beginning, rows in self._beginnings.items():
            at = bisect_left(ordered, beginning)
            if at < len(ordered) and ordered[at].startswith(beginning):
                wanted.update(rows)
        for number in sorted(wanted):
            phrase, tag, unless = self._row(number)
            for match in find(phrase, words):
                if not unless or not _is_void(unless, words.line_text(match.start), lines):
                    yield self._tags[tag], match

    def _row(self, number: int) -> tuple[Phrase, int, Any]:
        """Return a phrase, its tag's number, and the words that void it, parsing them on first use."""
        if number not in self._read:
            row = self._rows[number]
            program, anchors, before, required, tag, unless = json.loads(row) if isinstance(row, bytes) else row
            self._read[number] = Phrase(program, tuple(anchors), tuple(before), required), tag, unless
        return self._read[number]


def make_book(rows: Iterable[tuple[str, Any, tuple[str, ...]]]) -> dict[str, Any]:
    """Build a book from (phrase, tag, words that void a match in the same line). Raises BadPhrase."""
    given = list(rows)
    rarity: dict[str, int] = {}
    for text, _, _ in given:
        for word in set(Words(text).words):
            rarity[word] = rarity.get(word, 0) + 1
    tags: list[Any] = []
    places: dict[str, int] = {}
    index: dict[str, Any] = {}
    compiled: list[Any] = []
    for text, tag, unless in given:
        phrase = compile_phrase(text, rarity)
        key = repr(tag)
        if key not in places:
            places[key] = len(tags)
            tags.append(tag)
        for anchor in phrase.anchors:
            home = index.setdefault(_PREFIXES, {}) if anchor.endswith("*") else index
            home.setdefault(anchor.rstrip("*"), []).append(len(compiled))
        void = [Words(word).words for word in unless]
        compiled.append([phrase.program, phrase.anchors, phrase.before, phrase.required, places[key], void])
    return {"rows": compiled, "index": index, "tags": tags}


def _is_void(unless: list[list[str]], text: str, lines: dict[str, tuple[list[str], frozenset[str]]]) -> bool:
    """Return whether a line contains a word that voids a phrase. lines: a cache of the words of lines."""
    if text not in lines:
        split = Words(text).words
        lines[text] = split, frozenset(split)
    line, held = lines[text]
    return any(
        line[at : at + len(word)] == word
        for word in unless
        if held.issuperset(word)
        for at in range(len(line) - len(word) + 1)
    )
