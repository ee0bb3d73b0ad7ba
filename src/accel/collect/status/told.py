"""A text as its writer structured it: lines with their kinds, sentences, commands, lead-ins."""

from collections.abc import Container, Iterator
from functools import cached_property
from typing import Final

from accel.collect.status.evidence import begins_boot, images, is_answered
from accel.model.dataclass import dataclass
from accel.text.cues import Prose
from accel.text.dialogue import is_labelled
from accel.text.events import events_of
from accel.text.genres import bug_form_headings, has_mark
from accel.text.pattern import pattern
from accel.text.ruling import Event, Ruling
from accel.text.segments import STATUS_OF, Kind, Run, Segments

_ITEM: Final = pattern(r"[ \t]{0,8}(?:[-*•+]|\d{1,2}[.)]|[\"“「《])")
_HEADING: Final = pattern(r"[A-Za-z\u4e00-\u9fff][^:=|{}\[\]]{3,60}[:：]?$")
_PLEASE: Final = pattern(
    r"\b(?:please|help|advi[sc]e|bitte|hilfe|s'il vous pla|merci d|por favor|ayuda)"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
    r"|подскажите|помогите|пожалуйста"
)
BEGAN: Final = pattern(r"(?:since|seit|depuis|desde|从|с\b|со\b|[^ ]{1,6}から|[^ ]{1,6}부터)")
_NOT_OWN: Final = frozenset(("them", "quoted", "elsewhere", "past", "hypothetical", "negated", "expected", "once"))
_BEGINS: Final = pattern(r"(?:^|\n|[.!?:] )$(?!\n)")
_ASKS: Final = pattern(r"[?？](?=[\"')\]*_`]{0,3}(?:\s|$))")
_STATES: Final = ("unsolved", "solved", "works", "listed", "closed", "outcome", "well")
_LEAD_LINES: Final = 80  # lines above a block to search for its introduction
_LEAD_BLANKS: Final = 2  # maximum blank lines between them


@dataclass(frozen=True)
class Told:
    """A structured text. segments: of the text; prose: one for each of its scopes (host, container), with the same
    lines.
    """

    segments: Segments
    prose: tuple[Prose, ...]

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What the writer says happened, in the order of the text."""
        every = (event for one in self.prose for event in events_of(one))
        return tuple(sorted(every, key=lambda event: (event.line, event.place)))

    def says(self, *kinds: str, line: int | None = None) -> bool:
        """Return whether there is an event of one of these kinds; line: only on this line."""
        return any(event.kind in kinds and line in (None, event.line) for event in self.events)

    def is_well_at(self, line: int) -> bool:
        """Return whether a line says that all is well at or after its first mention of trouble, not before it."""
        trouble = [place for one in self.prose if one.line_text(line).strip() for place, _ in one.mentions(line)]
        first = min((one.sentence(place)[0] for one in self.prose for place in trouble[:1]), default=0)
        return any(event.kind == "well" and event.line == line and event.place >= first for event in self.events)

    @cached_property
    def is_shared(self) -> bool:
        """Whether the writer says below a quotation that they have the same problem."""
        quoted = [line for line, kind in enumerate(self.segments.kinds, 1) if kind == "quote"]
        return bool(quoted) and any(event.kind == "shared" and event.line > quoted[0] for event in self.events)

    def is_shared_below(self, line: int) -> bool:
        """Return whether the writer says, on a line or below it, that they have the quoted problem too."""
        return any(event.kind == "shared" and event.line >= line for event in self.events)

    def has_begun(self, line: int) -> bool:
        """Return whether a line says since when it is so: "Since then people see"."""
        began = ((one, cue.start) for one in self.prose for cue in one.clause_cues if cue.kind == "since")
        return any(one.line_at(at) == line and BEGAN.match(one.text, at) for one, at in began)

    def has(self, kind: str, line: int, start: int = 0) -> bool:
        """Return whether a line has a cue of a single-line kind, from a position on."""
        return any(one.has_cue(kind, line, start) for one in self.prose)

    def place_of(self, kind: str, line: int) -> int | None:
        """Return where in a line its first cue of a single-line kind is; None if it has none."""
        return next((place for one in self.prose if (place := one.place_of(kind, line)) is not None), None)

    def opens(self, kind: str, line: int) -> bool:
        """Return whether a line begins with a cue of a single-line kind."""
        return self._begun(kind, line) is not None

    def fills(self, kind: str, line: int) -> bool:
        """Return whether a line is such a cue and no more: a heading."""
        begun = self._begun(kind, line)
        return begun is not None and not begun.strip(" \t:：*#=")

    def _begun(self, kind: str, line: int) -> str | None:
        """Return what follows the cue of this kind that a line begins with; None if it begins with none."""
        text = self.text(line)
        start = len(text) - len(text.lstrip(" \t#*=[【("))
        for one in self.prose:
            if one.line_text(line).strip():
                cues = [cue.end - one.line_start(line) for cue in one.cues_at(kind, line, start)]
                return text[max(cues) :] if cues else None
        return None

    def text(self, line: int) -> str:
        """Return a line, from 1, without what readers remove; "" for a blank one."""
        if line not in self._texts:
            self._texts[line] = next((text for one in self.prose if (text := one.line_text(line)).strip()), "")
        return self._texts[line]

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {}

    def lines(self) -> Iterator[tuple[Kind, str]]:
        """Yield the kind and the text of each line, as returned by `text`."""
        return ((kind, self.text(line)) for line, kind in enumerate(self.segments.kinds, 1))

    @cached_property
    def has_form(self) -> bool:
        """Whether the text has a mark of a change, a request or a guide."""
        kinds = self.segments.kinds
        return has_mark([self.text(line) for line in range(1, len(kinds) + 1)], kinds)

    @cached_property
    def bug_form_headings(self) -> int:
        """How many headings of a bug report form the text has."""
        return bug_form_headings([self.text(line) for line in range(1, len(self.segments.kinds) + 1)])

    @cached_property
    def ends_in_a_question(self) -> bool:
        """Whether the writer ends with a question."""
        kinds = self.segments.kinds
        last = next((line for line in range(len(kinds), 0, -1) if kinds[line - 1] == "prose"), None)
        return last is not None and self.text(last).rstrip(" )*_`\"'").endswith(("?", "？"))

    @cached_property
    def last_question(self) -> int:
        """The position of the last question mark that ends a sentence of the writer's; -1 if there is none, or if the
        question is about something else.
        """
        asked = [
            (mark.start(), one.line_at(mark.start()))
            for one in self.prose
            for mark in _ASKS.finditer(one.masked)
            if one.segments.kind(one.line_at(mark.start())) == "prose"
        ]
        last, line = max(asked, default=(-1, 0))
        return -1 if any(self.has("offtopic", n) for n in range(line, len(self.segments.kinds) + 1) if line) else last

    def is_final(self, line: int) -> bool:
        """Return whether a line tells of what is so by now: "finally", "again", "today"."""
        return any(self.has(kind, line) for kind in ("final", "again")) or self.says("now", line=line)

    @cached_property
    def ends_unsolved(self) -> bool:
        """Whether the writer's last sentence says that it is as it was."""
        last = max((line for line, kind in enumerate(self.segments.kinds, 1) if kind == "prose"), default=0)
        return self.says("unsolved", line=last) and not self.says(
            "solved", "works", "closed", "outcome", "well", line=last
        )

    def is_own(self, line: int) -> bool:
        """Return whether a line, or the one that leads it in, says that it appears on the writer's machine, or since
        when.
        """
        lead = self.lead_of(line) if self.segments.kind(line) != "prose" else line
        if lead is None or not (lead == line or self.text(lead).rstrip().endswith((":", "："))):
            return False
        for one in self.prose:
            said = [cue for cue in (*one.cues, *one.clause_cues) if one.line_at(cue.start) == lead]
            kinds = {cue.kind for cue in said}
            begun = any(
                cue.kind == "since" and BEGAN.match(one.text, cue.start) and _BEGINS.search(one.text, 0, cue.start)
                for cue in said
            )
            if (begun or "mine" in kinds) and "shown" in kinds | ({"shown"} if begun else set()):
                return not kinds & _NOT_OWN
        return False

    @cached_property
    def is_open(self) -> bool:
        """Whether the last thing that the writer says about the state of their fault is that it persists."""
        last = next((one.kind for one in reversed(self.events) if one.kind in _STATES), "")
        return last == "unsolved" and not self.segments.is_mainly(("document",))

    @cached_property
    def ends_in_a_call(self) -> bool:
        """Whether the writer ends with a call for help: a question, or "please have a look"."""
        last = max((event.line for event in self.events if event.kind in ("ask", "unsolved")), default=0)
        if last == 0 or self.ends_in_a_question:
            return last > 0
        return "prose" not in self.segments.kinds[last:] and bool(_PLEASE.search(self.text(last)))

    def is_quoting(self, line: int) -> bool:
        """Return whether a line has words in quotation marks or a code span."""
        return any(one.has_quotation(line) for one in self.prose)

    def rulings_on(self, line: int, place: int | None = None) -> list[Ruling]:
        """Return the rulings that the sentences at a line's end, and at a position in the line, make on a mention
        there.
        """
        told = [one for one in self.prose if one.line_text(line).strip()]
        places = [(one, one.line_end(line)) for one in told]
        if place is not None:
            places += [(one, one.line_start(line) + place) for one in told]
        return [ruling for one, at in places if (ruling := one.ruling(at, at)) is not None]

    def ruling_on(self, line: int) -> Ruling | None:
        """Return the ruling of a line's sentences on all its mentions of trouble; None if one of them asserts it."""
        places = [(one, place) for one in self.prose if one.line_text(line).strip() for place in one.mentions(line)]
        if not places:
            return next(iter(self.rulings_on(line)), None)
        rulings = [one.ruling(*place) for one, place in places]
        if any(ruling is None for ruling in rulings):
            return None
        return next((ruling for ruling in rulings if ruling and not ruling.weak), rulings[0])

    def is_item(self, line: int) -> bool:
        """Return whether a line is an item of a list, or a quotation: its lead-in applies to it."""
        return bool(_ITEM.match(self.text(line)))

    def lead_of(self, line: int) -> int | None:
        """Return the line of the sentence that introduces this line's block; None if there is none."""
        return self._leads[line - 1] if 0 < line <= len(self._leads) else None

    @cached_property
    def _leads(self) -> tuple[int | None, ...]:
        return tuple(self._leading())

    def _leading(self) -> Iterator[int | None]:
        lead: int | None = None
        blanks = 0
        for line, kind in enumerate(self.segments.kinds, 1):
            near = lead is not None and blanks <= _LEAD_BLANKS and line - lead < _LEAD_LINES
            yield lead if near else None
            if kind == "prose" and is_labelled(self.text(line)):
                lead = None
            elif (kind == "prose" and not self.is_item(line)) or self._heads_list(line):
                lead, blanks = line, 0
            elif kind in STATUS_OF and kind != "source":
                lead = None
            else:
                blanks += kind == "blank"

    def _heads_list(self, line: int) -> bool:
        """Return whether a line is the heading of a list, even if it is not a sentence: "Related questions"."""
        if self.segments.kind(line) != "output" or not _HEADING.match(self.text(line)):
            return False
        below = next((n for n in range(line + 1, line + 3) if self.segments.kind(n) != "blank"), 0)
        return bool(below) and self.is_item(below)

    def is_in_other_image(self, line: int, below: int) -> bool:
        """Return whether two lines are in containers of different images, of which one says nothing of the other."""
        if self.segments.kind(below) == "prose":
            return False
        first, second = (next((one for at, one in self._images if at <= n), frozenset()) for n in (line, below))
        return bool(first and second) and first != second

    @cached_property
    def _images(self) -> list[tuple[int, frozenset[str]]]:
        """The lines that start containers, the last one first, with the images that they name."""
        found = [(run.line, images(run.command)) for run in reversed(self.segments.runs)]
        return [(line, names) for line, names in found if names]

    def is_answered_after(self, line: int, troubles: Container[int]) -> bool:
        """Return whether the writer repaired something below a line, and the tool that a message there names answers
        below that, in the same place.
        """
        repaired = next((event.line for event in self.events if event.kind == "repaired" and event.line > line), None)
        if repaired is None or self.has("variant", self.lead_of(line) or line):
            return False
        runs = (run for run in self.segments.runs if run.line >= repaired)
        return is_answered(self.text(line), (run for run in runs if not self._is_placed(run)), troubles)

    def _is_placed(self, run: Run) -> bool:
        """Return whether the sentence above a command says that it ran somewhere else: "On the host:"."""
        head = self.lead_of(run.line) or run.line
        return any(self.has(kind, head) for kind in ("other", "limited", "apart", "variant"))

    @cached_property
    def last_boot(self) -> int:
        """The line at which the last boot in a log begins; 0 if none does."""
        return max((n for n in range(1, len(self.segments.kinds) + 1) if begins_boot(self.text(n))), default=0)

    def run_at(self, line: int) -> Run | None:
        """Return the command whose output contains a line."""
        return self._runs.get(line)

    @cached_property
    def _runs(self) -> dict[int, Run]:
        return {line: run for run in reversed(self.segments.runs) for line in range(run.first, run.last + 1)}

    def is_output(self, line: int) -> bool:
        """Return whether a program printed a line, or it contains a typed command, judging by the line alone."""
        return self.segments.kind(line) in ("output", "command")
