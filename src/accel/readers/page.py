"""One text as the mechanisms see it: its lines, its words, and the tables that say what words mean."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from accel.text.hearsay import hearsay
from accel.text.translated import translated
from accel.text.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from accel.specs import Specs
    from accel.text.phrase import Match

_Found = TypeVar("_Found")
_LONGEST_QUOTE: Final = 1000  # characters


class Page:
    """A cleaned text. What one mechanism finds and others ask for is worked out once."""

    def __init__(self, text: str, specs: "Specs", read_lines: frozenset[int] = frozenset()) -> None:
        self.text = text
        self.specs = specs
        self._found: dict[str, tuple[Any, ...]] = {}
        self.read_lines = read_lines  # those that a format's reader has read

    @cached_property
    def words(self) -> Words:
        return translated(Words(self.text), self.specs.translations)

    @cached_property
    def lines(self) -> "Sequence[str]":
        return self.text.split("\n")

    @cached_property
    def phrases(self) -> "tuple[tuple[Any, Match], ...]":
        """Every sentence of the tables that the text holds, with its tag."""
        return tuple(
            (tag, match)
            for book in self.specs.phrase_books
            for tag, match in book.find(self.words)
            if not self.repeats(match.start)
        )

    @cached_property
    def _hearsay(self) -> tuple[tuple[int, int], ...]:
        return hearsay(self.text)

    def repeats(self, place: int) -> bool:
        """Whether the text only repeats at that character what others wrote of a fault."""
        return any(start <= place < end for start, end in self._hearsay)

    def once(self, key: str, find: "Callable[[Page], Iterable[_Found]]") -> "tuple[_Found, ...]":
        """Return what a mechanism finds in this text, found when first asked for. key: the mechanism's name."""
        if key not in self._found:
            self._found[key] = tuple(find(self))
        found: tuple[_Found, ...] = self._found[key]
        return found

    @cached_property
    def benign_lines(self) -> frozenset[int]:
        """The lines that look like errors and are none: specs/language/benign.yaml."""
        return self._lines_of("benign")

    @cached_property
    def complaint_lines(self) -> frozenset[int]:
        """The lines that tell of trouble without words of failure: specs/language/complaints.yaml."""
        return self._lines_of("complaint")

    @cached_property
    def relay_lines(self) -> frozenset[int]:
        """The lines that only say that something else failed: specs/language/relays.yaml."""
        return self._lines_of("relay")

    def _lines_of(self, kind: str) -> frozenset[int]:
        words = self.words
        return frozenset(
            line
            for tag, match in self.phrases
            if tag[0] == kind
            for line in range(words.line_at(match.start), words.line_at(max(match.start, match.end - 1)) + 1)
        )

    def placed(self, start: int, end: int) -> dict[str, Any]:
        """Return text, line and last_line of an observation between two characters: whole lines are quoted."""
        words = self.words
        first, last = words.line_at(start), words.line_at(max(start, end - 1))
        quoted = " ".join(" ".join(self.lines[first - 1 : last]).split())
        if len(quoted) > _LONGEST_QUOTE:
            quoted = " ".join(self.text[start:end].split())[:_LONGEST_QUOTE]
        return {"text": quoted, "line": first, "last_line": last}

    def on_line(self, number: int) -> dict[str, Any]:
        """Return text, line and last_line of an observation that is one line, from 1."""
        text = " ".join(self.lines[number - 1].split())[:_LONGEST_QUOTE]
        return {"text": text, "line": number, "last_line": number}
