"""Match many phrases at once, trying only those with an anchor in the text.

A book is built once, when the tables are compiled, as plain lists and dicts, so loading it compiles nothing. Its rows
are asked for by number: a text needs about fifty of several thousand, and reading all would take longer than
everything else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.text.phrase import BadPhrase, Match, Phrase, compile_phrase, find
from accel.text.words import Words

_OF_A_PHRASE: Final = ("|", "...")


class PhraseBook:
    """Phrases with their tags, which may be any plain data. "rows" is a list, or returns rows by their numbers."""

    def __init__(self, book: Mapping[str, Any]) -> None:
        rows = book["rows"]
        self._rows: Callable[[Iterable[int]], list[Any]] = (
            rows if callable(rows) else lambda numbers: [rows[number] for number in numbers]
        )
        self._index: Mapping[str, list[int]] = book["index"]
        self._beginnings: Mapping[str, list[int]] = book["beginnings"]  # of anchors that are prefixes of words
        self._by_letter: dict[str, tuple[str, ...]] = {}
        for beginning in self._beginnings:
            self._by_letter[beginning[0]] = (*self._by_letter.get(beginning[0], ()), beginning)
        self._read: dict[int, tuple[Phrase, Any, Any]] = {}

    def tries(self, counts: Mapping[str, int]) -> int:
        """Return an upper bound of the match attempts in a text. counts: how often each word occurs in it."""
        index = self._index
        tried = sum(counts[word] * len(index[word]) for word in counts.keys() & index.keys())
        return tried + sum(counts[word] * len(self._beginnings[beginning]) for word, beginning in self._begun(counts))

    def find(self, words: Words) -> Iterator[tuple[Any, Match]]:
        """Yield (tag, match) for every match in the text, phrase by phrase."""
        places, index = words.places, self._index
        wanted = {row for word in places.keys() & index.keys() for row in index[word]}
        lines: dict[str, tuple[list[str], frozenset[str]]] = {}
        for _, beginning in self._begun(places):
            wanted.update(self._beginnings[beginning])
        self._take([number for number in wanted if number not in self._read])
        for number in sorted(wanted):
            phrase, tag, unless = self._read[number]
            for match in find(phrase, words):
                if not unless or not _is_void(unless, words.line_text(match.start), lines):
                    yield tag, match

    def _begun(self, words: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield (word, beginning) for each beginning that a word has."""
        for word in words:
            beginnings = self._by_letter.get(word[0], ())
            if word.startswith(beginnings):
                yield from ((word, beginning) for beginning in beginnings if word.startswith(beginning))

    def _take(self, numbers: Sequence[int]) -> None:
        """Read these phrases, with their tags and the words that void them."""
        if numbers:
            for number, row in zip(numbers, self._rows(numbers), strict=True):
                program, anchors, before, required, tag, unless = row
                self._read[number] = Phrase(program, tuple(anchors), tuple(before), required), tag, unless


def make_book(rows: Iterable[tuple[str, Any, tuple[str, ...]]]) -> dict[str, Any]:
    """Build a book from (phrase, tag, words that void a match in the same line). Raises BadPhrase."""
    given = list(rows)
    rarity: dict[str, int] = {}
    for text, _, _ in given:
        for word in set(Words(text).words):
            rarity[word] = rarity.get(word, 0) + 1
    index: dict[str, list[int]] = {}
    beginnings: dict[str, list[int]] = {}
    compiled: list[Any] = []
    for text, tag, unless in given:
        phrase = compile_phrase(text, rarity)
        for anchor in phrase.anchors:
            home = beginnings if anchor.endswith("*") else index
            home.setdefault(anchor.rstrip("*"), []).append(len(compiled))
        void = [_plain(word) for word in unless]
        compiled.append([phrase.program, phrase.anchors, phrase.before, phrase.required, tag, void])
    return {"rows": compiled, "index": index, "beginnings": beginnings}


def _plain(words: str) -> list[str]:
    """Return the words of an `unless`, which has no alternatives. Raises BadPhrase."""
    if any(mark in words for mark in _OF_A_PHRASE):
        raise BadPhrase(f"unless: {words!r} must be plain words; write each alternative as its own entry")
    return Words(words).words


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
