"""A text as the mechanisms see it: its lines, its words, and the tables that give words their meaning."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from accel.text.cues import Prose
from accel.text.pattern import pattern
from accel.text.ruling import Cue
from accel.text.segments import Segments, segments_of
from accel.text.translated import translated
from accel.text.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from accel.names.products import NamedProduct
    from accel.specs import Specs
    from accel.text.lexicon import Lexicon
    from accel.text.phrase import Match

_Found = TypeVar("_Found")
_LONGEST_QUOTE: Final = 1000  # characters
_MESSAGES: Final = ("noted", "error", "missing", "conflict", "benign", "relay")
_BY_HAND: Final = pattern(
    r"\b(?:I|I'm|I've|my|we|our|me|us|thanks?|anyone|hi|hello|now|today|yesterday|ich|mein|je|mon"
    r"|yo)\b|[?？]|我|私|僕|я |мы |«|“|\""
)
_FOREIGN: Final = pattern(  # letters that programs seldom print
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{4}|[à-ÿ]|[а-яё]{4}"
)
_JOINS: Final = pattern(r"(?:and|but|so|because|which) (?:the|then|that|this|it|now|an?|was|were|is)\b|on each\b")


class Page:
    """A cleaned text, with a cache of results that several mechanisms need."""

    def __init__(
        self,
        text: str,
        specs: "Specs",
        read_lines: frozenset[int] = frozenset(),
        segments: Segments | None = None,
    ) -> None:
        self.text = text
        self.specs = specs
        self._found: dict[str, tuple[Any, ...]] = {}
        self.read_lines = read_lines  # lines that a format reader has read
        self._segments = segments

    @property
    def attempts(self) -> "Lexicon":
        """The words in which people tell what they tried: specs/language/attempts.yaml."""
        from accel.text.lexicon import Lexicon

        return self.specs.cached("attempts", lambda: Lexicon(self.specs.compiled("attempts")))

    @cached_property
    def prose(self) -> Prose:
        """The writer's own words, and what they say about the faults that they mention."""
        lacks = [
            (match.start, match.end)
            for tag, match in self.phrases
            if tag[0] == "missing" and (tag[1].get("piece") != "node" or "/" in match.values.get("name", ""))
        ]
        cues = (
            Cue(tag[1]["cue"], tag[1]["reach"], "strong" in tag[1], match.start, match.end)
            for tag, match in self.phrases
            if tag[0] == "cue"
            # "the command does not exist" is itself the statement, and denies nothing before it
            if tag[1]["cue"] != "negated"
            or not any(first <= match.start and match.end <= last for first, last in lacks)
        )
        segments = self._segments or segments_of(self.text)
        return Prose(self.text, segments.as_output(self._message_lines(segments)), cues, self._sights)

    @property
    def _sights(self) -> "Mapping[str, object]":
        return self.specs.table("language/sights") or {}

    def _message_lines(self, segments: Segments) -> frozenset[int]:
        """Return the lines that a program's message fills or continues on: no person wrote them."""
        words, found, context = self.words, set[int](), self.specs.inference["context"]
        for tag, match in self.phrases:
            first = words.line_at(match.start)
            if tag[0] not in _MESSAGES or first in found or segments.kind(first) != "prose":
                continue
            if tag[0] == "noted" and tag[1] in context:
                continue  # what the text is about is no message
            text = words.line_text(match.start)
            before = self.text[self.text.rfind("\n", 0, match.start) + 1 : match.start]
            if _BY_HAND.search(text) or len(before.split()) > 1:
                continue
            if (match.end - match.start) * 5 >= 2 * len(text.strip()):
                found.add(first)
                following = first + 1
                while segments.kind(following) == "prose" and not (
                    _BY_HAND.search(self.lines[following - 1])
                    or _JOINS.match(self.lines[following - 1])
                    or (_FOREIGN.search(self.lines[following - 1]) and not _FOREIGN.search(text[-len(text) // 2 :]))
                ):
                    found.add(following)
                    following += 1
        return frozenset(found)

    @cached_property
    def words(self) -> Words:
        return translated(Words(self.text), self.specs.translations)

    @cached_property
    def lines(self) -> "Sequence[str]":
        return self.text.split("\n")

    @cached_property
    def products(self) -> "tuple[NamedProduct, ...]":
        """All products that the text names, whatever it says about them."""
        return tuple(self.specs.product_names.in_words(self.words))

    @cached_property
    def phrases(self) -> "tuple[tuple[Any, Match], ...]":
        """All sentences of the tables that the text contains, as (tag, match)."""
        return tuple((tag, match) for book in self.specs.phrase_books for tag, match in book.find(self.words))

    def once(self, key: str, find: "Callable[[Page], Iterable[_Found]]") -> "tuple[_Found, ...]":
        """Return what a mechanism finds in this text, computed on first use. key: the mechanism's name."""
        if key not in self._found:
            self._found[key] = tuple(find(self))
        found: tuple[_Found, ...] = self._found[key]
        return found

    @cached_property
    def benign_lines(self) -> frozenset[int]:
        """The lines that look like errors but are not: specs/language/benign.yaml."""
        return self._lines_of("benign")

    @cached_property
    def complaint_lines(self) -> frozenset[int]:
        """The lines about trouble without words of failure: specs/language/complaints.yaml; an unused device."""
        unused = (match for tag, match in self.phrases if tag[:2] == ["noted", "runs-on-processor"])
        return self._lines_of("complaint") | frozenset(self.words.line_at(match.start) for match in unused)

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
        """Return text, line and last_line of an observation between two positions: it quotes whole lines."""
        words = self.words
        first, last = words.line_at(start), words.line_at(max(start, end - 1))
        quoted = " ".join(" ".join(self.lines[first - 1 : last]).split())
        if len(quoted) > _LONGEST_QUOTE:
            quoted = " ".join(self.text[start:end].split())[:_LONGEST_QUOTE]
        place: dict[str, Any] = {"text": quoted, "line": first, "last_line": last}
        ruling = self.prose.ruling(start, end)
        if ruling is not None:
            place |= {"doubt" if ruling.weak else "status": ruling.status, "why": ruling.reason}
        return place

    def on_line(self, number: int) -> dict[str, Any]:
        """Return text, line and last_line of an observation on one line, counted from 1."""
        text = " ".join(self.lines[number - 1].split())[:_LONGEST_QUOTE]
        return {"text": text, "line": number, "last_line": number}
