"""Judge a mentioned fault by the writer's own words: present, over, denied, feared, or somebody else's. Pure.

Cues are phrases from specs/language/status.yaml with a direction, as in the ConText algorithm: "never saw" reaches the
next few words, "would I get" the rest of its sentence, "is ruled out" the words before it; "but" and "I get" end the
reach of an earlier cue. Cues are read in prose only: quotations, code spans and error messages are masked first, so
that a message's "not found" denies nothing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from accel.model.grade import Status
from accel.text.clauses import ASKING, DOUBT, TROUBLE, sentence_ends
from accel.text.dialogue import is_labelled
from accel.text.pattern import Pattern, pattern
from accel.text.quotations import CODED, IN_MARKS, ZONE, is_label, is_message, is_written, own_words, quotation_at
from accel.text.records import is_entry
from accel.text.ruling import Cue, Ruling
from accel.text.segments import STATUS_OF, Segments, is_printed

_LIST: Final = pattern(r"[ \t]{0,8}(?:[-*•+#|]|\d{1,2}[.)])[ ]+")
_WORD: Final = pattern(r"[\u3040-\u30ff\u4e00-\u9fff]{1,2}|\w+", exact_case=True)
_NOT_MEANT: Final = pattern(
    r"\bbefore (?:anything|any|we|the)\b|\bnot (?:injected|simulated|expected)|\bunexpected"
    r"|\bon its own\b|\binstead\b|尚未|还没|并非|没有注入"
)
_LABELLED: Final = pattern(
    r"[ \t>*#-]{0,8}(?:expected(?: (?:result|output|log|line|behaviou?r)s?)?|it should (?:say|print|show|be)"
    r"|(?:期望|预期|应该是)(?:结果|输出|行为|日志)?)[ ]?[:：]"
)
_NONE: Final = pattern(r"(?:\b(?:no|without|keine?n?|aucune?|ningún|нет)|没有|并无|未见|无)[ :：]{0,2}$(?!\n)")
_POINTS: Final = pattern(r"\b(?:this|that|these|following|such|like|messages?|lines?|xids?|warnings?)\b")
_LATIN: Final = pattern(r"[!-+\--~][ -+\--~]{0,400}", exact_case=True)
_MARKS: Final = "`\"'“„«「『《"
_OWN: Final = pattern(
    r"\b(?:I|we|ich|wir|je|nous|yo|я|мы|recebo|recibo|obtengo|obtenho|получаю|bekomme)\b|j'|me (?:sale|da|dá)\b|我|私"
)
_GOVERNED: Final = 4  # words between a verb of appearance and its object
_NEAR: Final = 7  # words that a cue of short reach covers
_ORDER: Final[tuple[Status, ...]] = ("hypothetical", "negated", "quoted", "expected", "elsewhere", "past")
_MOST_BEFORE: Final = 600  # characters of a sentence to inspect on either side


class Prose:
    """The prose of a text, with its cues. segments: the kinds of the same lines; words: kinds of language/sights."""

    def __init__(
        self, text: str, segments: Segments, cues: Iterable[Cue], words: Mapping[str, object] = MappingProxyType({})
    ) -> None:
        self.text = text
        self.segments = segments
        self._words = words
        every = sorted(cues, key=lambda cue: (cue.start, -cue.end))
        self._found = tuple(cue for cue in every if cue.reach not in ("line", "clause"))
        self._of_clauses = tuple(cue for cue in every if cue.reach == "clause")
        self._of_lines = tuple(cue for cue in every if cue.reach == "line")

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def line_at(self, place: int) -> int:
        """Return the line number, counted from 1, of a character position."""
        return bisect_right(self._line_starts, place)

    def line_text(self, line: int) -> str:
        """Return a line by its number, counted from 1."""
        first = self._line_starts[line - 1]
        last = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        return self.text[first:last]

    def has_cue(self, kind: str, line: int, start: int = 0) -> bool:
        """Return whether a line has a single-line cue of this kind at or after a position, whoever wrote it."""
        return self.place_of(kind, line, start) is not None

    def place_of(self, kind: str, line: int, start: int = 0) -> int | None:
        """Return the position in a line of the first such cue; None if there is none."""
        first = self._line_starts[line - 1]
        found = (cue.start - first for cue in self._by_line.get(line, ()) if cue.kind == kind)
        return next((place for place in found if place >= start), None)

    def cues_at(self, kind: str, line: int, start: int) -> Iterator[Cue]:
        """Yield the single-line cues of this kind at a position in a line, whoever wrote it."""
        first = self._line_starts[line - 1] + start
        return (cue for cue in self._marks.get(kind, ()) if cue.start == first)

    def marks(self, kind: str, first: int, last: int) -> Iterator[Cue]:
        """Yield the single-line cues of this kind between two positions, in the writer's own words."""
        for cue in self._marks.get(kind, ()):
            if first <= cue.start and cue.end <= last and not self.is_masked(cue.start):
                yield cue

    def is_marked(self, kind: str, first: int, last: int) -> bool:
        """Return whether there is such a cue."""
        return any(True for _ in self.marks(kind, first, last))

    def has_word(self, kind: str, first: int, last: int) -> bool:
        """Return whether a word of this kind (language/sights) is between two positions, also in a code span."""
        return bool(self._sights[kind].search(self.text, first, last))

    @cached_property
    def _sights(self) -> Mapping[str, Pattern]:
        found = {}
        for kind in ("sees", "counted", "denying", "under"):
            words = [word.replace("_", " ") for word in str(self._words.get(kind, "-")).split()]
            whole = "|".join(word for word in words if word < "\u3040")
            found[kind] = pattern("|".join((rf"\b(?:{whole})\b", *(word for word in words if word >= "\u3040"))))
        return found

    @cached_property
    def _marks(self) -> dict[str, list[Cue]]:
        found: dict[str, list[Cue]] = {}
        for cue in self._of_lines:
            found.setdefault(cue.kind, []).append(cue)
        return found

    @cached_property
    def _by_line(self) -> dict[int, list[Cue]]:
        found: dict[int, list[Cue]] = {}
        for cue in self._of_lines:
            found.setdefault(self.line_at(cue.start), []).append(cue)
        return found

    def mentions(self, line: int) -> Iterator[tuple[int, int]]:
        """Yield the spans in which a line mentions trouble: words of failure, and quotations."""
        start = self._line_starts[line - 1]
        for found in TROUBLE.finditer(self.text, start, start + len(self.line_text(line))):
            yield found.start(), found.end()

    def line_start(self, line: int) -> int:
        """Return the position of a line's first character."""
        return self._line_starts[line - 1]

    def line_end(self, line: int) -> int:
        """Return the position after a line's last character."""
        return self._line_starts[line - 1] + len(self.line_text(line))

    @cached_property
    def zones(self) -> tuple[tuple[int, int], ...]:
        """The spans that are not the writer's own words: quotations, code spans, error messages."""
        return tuple((found.start(), found.end()) for found in ZONE.finditer(self.text))

    def has_quotation(self, line: int) -> bool:
        """Return whether a line has words in quotation marks or a code span."""
        start = self._line_starts[line - 1]
        return "\x01" in self.masked[start : start + len(self.line_text(line))]

    @cached_property
    def masked(self) -> str:
        """The text with each character of its zones replaced: by \\x01 in quotation marks, otherwise by \\x02."""
        pieces, done = [], 0
        for start, end in self.zones:
            sign = "\x01" if self.text[start] in _MARKS else "\x02"
            pieces += [self.text[done:start], sign * (end - start)]
            done = end
        return "".join((*pieces, self.text[done:]))

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        """The cues in the writer's own words, in order of position."""
        return self._in_own_words(self._found)

    @cached_property
    def clause_cues(self) -> tuple[Cue, ...]:
        """The cues in the writer's own words that apply to one clause, in order of position."""
        return self._in_own_words(self._of_clauses)

    def _in_own_words(self, found: Iterable[Cue]) -> tuple[Cue, ...]:
        own = [
            cue
            for cue in found
            if not self.is_masked(cue.start)
            and not self.is_masked(cue.end - 1)
            and self._is_written(self.line_at(cue.start))
        ]
        whole = [cue for cue in own if not any(sentence_ends(self.masked[cue.start : cue.end - 1]))]
        reached, longest = -1, list[Cue]()
        for cue in whole:  # by position, the longer first: a cue inside a longer one does not count
            if cue.end > reached or (longest and (cue.start, cue.end) == (longest[-1].start, longest[-1].end)):
                longest.append(cue)
                reached = cue.end
        return tuple(longest)

    def cues_in(self, first: int, last: int) -> Iterator[Cue]:
        """Yield the cues that begin between two positions."""
        return (cue for cue in self.cues if first <= cue.start < last)

    def is_masked(self, place: int) -> bool:
        """Return whether a position is in a quotation, a code span or an error message."""
        return self.masked[place : place + 1] in ("\x01", "\x02")

    def is_quoted(self, place: int) -> bool:
        """Return whether a position is in quotation marks or in a code span."""
        return self.masked[place : place + 1] == "\x01"

    def _is_written(self, line: int) -> bool:
        return self.segments.kind(line) in ("prose", "output")

    @cached_property
    def _ends(self) -> list[int]:
        """The positions at which sentences end, in order."""
        ends = list(sentence_ends(self.masked))
        for number, start in enumerate(self._line_starts[1:], 2):
            before, here = self.segments.kind(number - 1), self.segments.kind(number)
            if (
                before != "prose"
                or here != "prose"
                or _LIST.match(self.masked, start)
                or is_labelled(self.line_text(number))
                or is_entry(self.line_text(number))
                or self.masked[start - 2 : start - 1] in (":", "：", "\x02")  # a message ends with its line
            ):
                ends.append(start)
        return sorted(ends)

    def sentence(self, place: int) -> tuple[int, int]:
        """Return the start and end of the sentence at a position."""
        ends = self._ends
        at = bisect_right(ends, place)
        first = ends[at - 1] if at else 0
        last = ends[at] if at < len(ends) else len(self.text)
        return max(first, place - _MOST_BEFORE), min(last, place + _MOST_BEFORE)

    def ruling(self, start: int, end: int) -> Ruling | None:
        """Judge a mention by the kind of its text and by its sentence; None if neither says anything about it."""
        at = start if start < end else max(0, start - 1)  # a position after a sentence belongs to that sentence
        line = self.line_at(at)
        kind = self.segments.kind(line)
        if kind in STATUS_OF:
            return Ruling(*STATUS_OF[kind])
        if _LABELLED.match(self.line_text(line)):
            return Ruling("expected", "labelled as what is expected")
        if kind not in ("prose", "output"):
            return None
        first, last = self.sentence(at)
        if kind == "output" and not self._begins_as_prose(first, start):
            return None
        near = [
            cue
            for cue in self.cues
            if first <= cue.start
            and cue.end <= last
            and (cue.end <= start or cue.start >= end or _is_denied(cue, start))
        ]
        denied = next(
            (cue for cue in self.cues if cue.reach == "previous" and end <= cue.start <= end + _MOST_BEFORE), None
        )
        if (
            denied is not None
            and self.sentence(cue_start := denied.start)[0] <= last
            and self.line_at(cue_start) == line
        ):
            status: Status = "quoted" if denied.kind == "quoted" else "negated"
            return Ruling(status, f"“{self.text[denied.start : denied.end]}”")
        ruling = self._weighed(near, start, end, prefix_only=kind == "output")
        ruling = ruling or self._framed(line, at)
        if ruling is None and kind == "prose" and self.is_quoted(start) and self._is_asked(first, last):
            ruling = Ruling("hypothetical", "a question")
        if ruling is None and (quotation := quotation_at(self.masked, start, end)):
            ruling = self._of_quotation(*quotation)
        return ruling

    @cached_property
    def _frames(self) -> tuple[Cue, ...]:
        return tuple(cue for cue in self.cues if cue.reach == "paragraph")

    def _framed(self, line: int, place: int) -> Ruling | None:
        """Judge by the opening of the paragraph: "Suppose a fresh server. Somebody types … The daemon says …"."""
        frames = [cue for cue in self._frames if cue.start < place]
        if not frames or self.segments.kind(line) != "prose":
            return None
        frame = frames[-1]
        first = self.line_at(frame.start)
        same = all(self.segments.kind(number) == "prose" for number in range(first, line))
        mine = any(cue.kind in ("present", "unsolved") and frame.start < cue.start < place for cue in self.cues)
        return Ruling("hypothetical", f"“{self.text[frame.start : frame.end]}”") if same and not mine else None

    def _of_quotation(self, start: int, end: int) -> Ruling | None:
        """Judge a message in quotation marks: it counts if the writer says that it appeared."""
        line = self.line_at(start)
        written = self.segments.kind(line) == "prose" or not is_printed(self.line_text(line))
        if not written or not is_message(self.text[start:end]) or not is_written(self._masked_line(line)):
            return None
        if self.segments.run_at(line) is not None and self.segments.kind(line) != "prose":
            return None
        first, last = self.sentence(start)
        if _NONE.search(self.masked, first, start):
            return Ruling("negated", "denied right before the quotation")
        if CODED.search(self.masked, first, start):
            return None  # Xid 79 "GPU has fallen off the bus": the writer gives the code in their own words
        around = own_words(self.masked[first:last])
        if is_label(around):
            above = next((n for n in range(line - 1, max(0, line - 3), -1) if self.segments.kind(n) != "blank"), 0)
            if self.segments.kind(above) != "prose" or around.strip(" \t>*-.\n"):
                return Ruling("quoted", IN_MARKS, weak=True)
            first, last = self.sentence(self.line_end(above) - 1)
            before = self.ruling(self.line_end(above), self.line_end(above))
            if before is not None or TROUBLE.search(self.masked, first, last):
                return before
        cues = [cue for cue in self.cues if first <= cue.start < last]
        verbs = {cue.kind for cue in cues if self._governs(cue, start, end)}
        if "present" in verbs:  # "I am getting a "…" error" states it
            return None
        shown = "shown" in verbs or any(cue.kind in ("present", "unsolved") for cue in cues)
        return Ruling("quoted", IN_MARKS, weak=shown or is_entry(self.line_text(line)))

    def _governs(self, cue: Cue, start: int, end: int) -> bool:
        """Return whether a verb is next to a quotation and not in doubt: "prints …", "… appears"."""
        if DOUBT.search(" ".join(self.masked[max(0, cue.start - 40) : cue.start].split()[-2:])):
            return False
        between = self.masked[cue.end : start] if cue.end <= start else self.masked[end : cue.start]
        return len(_WORD.findall(between)) <= _GOVERNED

    def _masked_line(self, line: int) -> str:
        return self.masked[self._line_starts[line - 1] : self.line_end(line)]

    def _is_asked(self, first: int, last: int) -> bool:
        """Return whether a sentence asks about a possibility and does not also assert it."""
        if not self.masked[first:last].rstrip().endswith(("?", "？")) or not ASKING.match(self.masked, first):
            return False
        return not any(first <= cue.start < last and cue.kind in ("present", "unsolved") for cue in self.cues)

    def _begins_as_prose(self, first: int, start: int) -> bool:
        """Return whether a line of output has a person's words before the mention: "Old wheel: ImportError: …"."""
        lead = self.masked[first:start].replace("\x02", "\x01").split("\x01")[0].strip()
        return (
            len(lead) < 200 and not lead[:1].isdecimal() and lead[:1] not in "[|(<{" and len(_WORD.findall(lead)) >= 2
        )

    def _weighed(self, near: list[Cue], start: int, end: int, *, prefix_only: bool) -> Ruling | None:
        active: dict[str, Cue] = {}
        for cue in near:
            if cue.end <= start or _is_denied(cue, start):
                if cue.kind in ("turn", "present", "now"):
                    elsewhere = active.get("elsewhere") if cue.kind == "present" and not self._is_own(cue) else None
                    active.clear()
                    if elsewhere is not None:  # a program's message counts there
                        active["elsewhere"] = elsewhere
                elif cue.kind == "shown" and (denied := active.get("negated")) is not None:
                    if ":" in self.masked[denied.end : cue.start]:  # "It never came: the sample prints …"
                        del active["negated"]
                elif cue.kind in _ORDER and self._reaches(cue, start):
                    active[cue.kind] = cue
        for cue in () if prefix_only else near:
            if cue.start < end:
                continue
            if cue.kind in ("turn", "present"):
                break
            reaches = cue.kind in _ORDER and cue.reach in ("backward", "sentence")
            if cue.kind == "negated" and self.is_marked(
                "before", end, cue.start
            ):  # "prints X, which it did not before"
                continue
            if reaches and (cue.end - cue.start > 5 or len(_WORD.findall(self.masked[end : cue.start])) <= _NEAR):
                active.setdefault(cue.kind, cue)
        if "expected" in active and _NOT_MEANT.search(
            self.masked[max(0, active["expected"].start - 60) : active["expected"].end + 60]
        ):
            del active["expected"]
        for status in _ORDER:
            if status in active:
                cue = active[status]
                weak = status in ("past", "elsewhere") and not cue.strong
                return Ruling(status, f"“{' '.join(self.text[cue.start : cue.end].split())}”", weak)
        return None

    def _is_own(self, cue: Cue) -> bool:
        return bool(_OWN.search(self.masked, cue.start, cue.end))

    def _reaches(self, cue: Cue, start: int) -> bool:
        between = self.masked[cue.end : start]
        if cue.reach == "near":
            if not self.masked[cue.start : cue.end].isascii():
                between = _LATIN.sub("x", between)  # a message in Chinese is one object
            named, colon, _ = between.partition(":")
            if (
                colon
                and named.strip().isascii()
                and named.strip()
                and not (_POINTS.search(named) or TROUBLE.search(named))
            ):
                return False  # "no NVLink: training hangs"
            return len(_WORD.findall(between)) <= _NEAR and not {",", "\n"}.intersection(between)
        return cue.reach in ("forward", "sentence") or (cue.reach == "object" and start < cue.end)

    def whole_text(self, kind: str) -> bool:
        """Return whether a cue of this kind describes the whole text: a plan, a closed record."""
        return any(cue.kind == kind and cue.reach == "text" for cue in self.cues)


def _is_denied(cue: Cue, start: int) -> bool:
    """Return whether a denial includes the beginning of what it denies: "没有 Xid"."""
    return cue.kind == "negated" and cue.start <= start < cue.end and (cue.start < start or cue.reach == "object")
