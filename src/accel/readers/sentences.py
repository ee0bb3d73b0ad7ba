"""The reader that the message tables drive: each sentence found becomes an Event.

A table's pattern is a regular expression in which a blank stands for any white space; where that holds a line break,
the next line may begin with a log prefix. So a sentence is found however a terminal or a logger has wrapped it.
Literals make it fast: a text that lacks the pattern's sign is not searched at all, and of a text that has it only the
lines near it are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from accel.contract.backend import Reader, Reading
from accel.model.report import Event, Report
from accel.readers.sentence_patterns import flexible, has_prefixes, literal_signs

MOST_EVENTS: Final = 200  # of one message in one text: a log that repeats itself says no more
_MOST_PLACES: Final = 2000  # where the sign stands and the pattern is tried
_WRAPPED_TO: Final = 300_000  # characters of a text in which a sign broken over two lines is looked for
_BEFORE: Final = 1500  # characters around the sign in which the sentence lies
_AFTER: Final = 3000


class Sentence(Protocol):
    """What this reader needs of a message record."""

    @property
    def name(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def backend(self) -> str | None: ...
    @property
    def sign(self) -> str | None: ...
    @property
    def signs(self) -> tuple[str, ...] | None: ...
    @property
    def ignore_case(self) -> bool: ...


def sentences_reader(messages: Sequence[Sentence]) -> Reader:
    """Make the reader of these messages. A pattern is compiled when its sign is first seen."""
    tables = [_Search(message) for message in messages]
    return Reader(name="messages", signs=(), read=lambda text: _read(text, tables))


class _Search:
    """One message, with its pattern compiled when first needed."""

    def __init__(self, message: Sentence) -> None:
        self.message = message

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """Literals of which every match holds at least one; empty if the pattern has none."""
        signs = self.message.signs
        if signs is None:
            signs = (self.message.sign,) if self.message.sign else literal_signs(self.message.pattern)
        return tuple(sign.lower() for sign in signs) if self.message.ignore_case else signs

    def broken_signs(self, text: str) -> list[str]:
        """Return the longest word of each sign whose words are all in the text: a line break may part them."""
        words = [sign.split() for sign in self.signs if " " in sign]
        return [max(parts, key=len) for parts in words if all(part in text for part in parts)]

    @cached_property
    def pattern(self) -> "re.Pattern[str]":
        return self._compiled(prefixes=False)

    @cached_property
    def pattern_over_prefixes(self) -> "re.Pattern[str]":
        return self._compiled(prefixes=True)

    def _compiled(self, prefixes: bool) -> "re.Pattern[str]":
        flags = re.MULTILINE | (re.IGNORECASE if self.message.ignore_case else 0)
        return re.compile(flexible(self.message.pattern, prefixes=prefixes), flags)


@dataclass(slots=True)
class _Text:
    """A text, its lower-case twin made when first asked for, and the number of a line by its place."""

    text: str
    _lower: str | None = None
    _counted_to: int = 0
    _lines: int = 1

    def searched(self, ignore_case: bool) -> str:
        if not ignore_case:
            return self.text
        if self._lower is None:
            lower = self.text.lower()
            self._lower = lower if len(lower) == len(self.text) else self.text
        return self._lower

    def line_at(self, place: int) -> int:
        if place < self._counted_to:
            self._counted_to, self._lines = 0, 1
        self._lines += self.text.count("\n", self._counted_to, place)
        self._counted_to = place
        return self._lines


def _read(text: str, tables: Iterable[_Search]) -> Iterator[Reading]:
    known = _Text(text)
    prefixes = has_prefixes(text)
    by_backend: dict[str, list[Event]] = {}
    for table in tables:
        searched = known.searched(table.message.ignore_case)
        signs = [sign for sign in table.signs if sign in searched]
        if table.signs and not signs:
            signs = table.broken_signs(searched) if len(text) < _WRAPPED_TO else []
            if not signs:
                continue
        pattern = table.pattern_over_prefixes if prefixes else table.pattern
        events = _events(known, table.message, pattern, signs)
        if events:
            by_backend.setdefault(table.message.backend or "host", []).extend(events)
    for backend, found in by_backend.items():
        found.sort(key=lambda event: event.line or 0)
        report = Report(backend=backend, source="messages", events=tuple(found))
        yield Reading(source="messages", reports=(report,), first_line=found[0].line, last_line=found[-1].line)


def _events(known: _Text, message: Sentence, pattern: "re.Pattern[str]", signs: Sequence[str]) -> list[Event]:
    seen: dict[tuple[tuple[str, str], ...], Event] = {}
    for start, end in _places(known.searched(message.ignore_case), signs):
        for match in pattern.finditer(known.text, start, end):
            values = tuple((key, _squeezed(value)) for key, value in match.groupdict().items() if value is not None)
            if values not in seen:
                index = dict(values).get("index")
                seen[values] = Event(
                    name=message.name,
                    message=_squeezed(match[0]),
                    values=values,
                    device=f"{message.backend}:{int(index)}"
                    if message.backend and index and index.isdecimal()
                    else None,
                    source="messages",
                    line=known.line_at(match.start()),
                )
                if len(seen) >= MOST_EVENTS:
                    return list(seen.values())
    return list(seen.values())


def _places(text: str, signs: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where to search: windows of whole lines about each place of a sign, joined where they meet."""
    if not signs or len(text) <= _BEFORE + _AFTER:
        yield 0, len(text)
        return
    begun, ended = -1, -1
    for at in sorted(place for sign in signs for place in _found(text, sign)):
        far = max(0, at - _BEFORE)
        start = text.rfind("\n", max(0, far - _BEFORE), far) + 1 or far
        if start > ended:
            if begun >= 0:
                yield begun, ended
            begun = start
        ended = min(len(text), at + _AFTER)
    if begun >= 0:
        yield begun, ended


def _found(text: str, sign: str) -> Iterator[int]:
    at = text.find(sign)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(sign, at + len(sign))


def _squeezed(text: str) -> str:
    return " ".join(text.split())[:1000]
