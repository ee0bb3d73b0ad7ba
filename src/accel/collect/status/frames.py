"""Whose machine a text is about: what it attributes to somebody else, until the writer's own machine returns. Pure.

"A colleague gets this on his server:" opens a frame, in which the output below belongs to somebody else; "on mine" or
"I get" closes it. A frame alone decides nothing, because people also ask for others. It counts if the writer says that
it is not theirs ("not mine", "no es el mío"), above or below it, or that their own machine runs, and asks for no cure.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from accel.model.observation import Observation
from accel.text.cues import Prose
from accel.text.events import TOOL
from accel.text.ruling import Cue, Event, Ruling

if TYPE_CHECKING:
    from accel.collect.status.told import Told

_OPENS: Final = ("elsewhere", "quoted")
_BLANKS: Final = 3  # lines below a paragraph in which the output that it introduces begins
_TOOL_SIGHT: Final = 24  # characters behind good news
_CLAIMS: Final = ("present", "shared", "unsolved")
_NOT_THEIRS: Final = Ruling("elsewhere", "the writer says that it is not theirs")


class Frames:
    """The frames of one text. ruling(line): what the frame that is open at a line says about a fault there."""

    def __init__(self, told: "Told") -> None:
        self._told = told

    @cached_property
    def _marks(self) -> list[tuple[int, int, str, str]]:
        return sorted({mark for prose in self._told.prose for mark in _marks(prose)})

    def are_apart(self, line: int, event: Event) -> bool:
        """Return whether a line is about somebody else's machine and good news about the writer's, or the reverse."""
        theirs = self._open_at(line)[0] == "opens"
        if not theirs:
            return event.kind in ("well", "works", "solved") and any(
                _is_of_others(one, event) for one in self._told.prose
            )
        return self._open_at(event.line)[0] == "closes"

    def is_of_another(self, event: Event) -> bool:
        """Return whether good news is about something else than what fails: its writer still asks below it, or it names
        another model, program, test or machine, and no change that led to it.
        """
        if self._told.is_final(event.line):
            return False
        for one in self._told.prose:
            first, last = one.sentence(event.place)
            others = (other for other in self._told.events if other != event)
            failed = max(
                (e.place for e in self._told.events if e.kind == "unsolved" and e.place < event.place), default=-1
            )
            around = (other for other in others if first <= other.place < last or other.line == event.line)
            around = (other for other in around if other.place > failed)  # what did not help led to nothing
            if any(other.kind in ("repaired", "now", "solved") for other in around):
                return False
            if one.line_at(event.place) == event.line and one.is_marked("foil", first, last):
                return True
        return event.place < self._told.last_question

    def is_about_something_else(self, line: int, event: Event) -> bool:
        """Return whether good news is about another thing or machine than a line, or a question follows it."""
        return self.is_of_another(event) or self.are_apart(line, event)

    def is_about_a_tool(self, event: Event) -> bool:
        """Return whether good news is of a tool that lists devices, and tells no change: "npu-smi is fine"."""
        if self._told.is_final(event.line):
            return False
        for prose in self._told.prose:
            if prose.line_at(event.place) == event.line and prose.line_text(event.line).strip():
                first, last = prose.sentence(event.place)
                named = TOOL.finditer(prose.text, first, min(last, event.place + _TOOL_SIGHT))
                listing = any(one["lists"] for one in named)
                return listing and not any(c.kind == "repaired" for c in prose.cues_in(first, event.place))
        return False

    def tells_what_else_works(self, observations: Iterable[Observation]) -> bool:
        """Return whether the writer contrasts what fails with something else that works."""
        tried = [one.line for one in observations if one.line and getattr(one, "outcome", None) == "works"]
        good = (event for event in self._told.events if event.kind in ("works", "solved"))
        return any(self._told.has("foil", line) for line in tried) or any(map(self.is_of_another, good))

    @cached_property
    def disowned(self) -> int:
        """The last line that says that something is not the writer's; 0 if none does."""
        return max((line for line, _, kind, _ in self._marks if kind in ("disowned", "denied")), default=0)

    def ruling(self, line: int) -> Ruling | None:
        """Return the ruling of the frame that is open at the end of a line; None if none is."""
        kind, why = self._open_at(line)
        if kind in ("opens", "disowned"):
            return Ruling("elsewhere", f"“{why}”")
        return _NOT_THEIRS if not kind and line < self.disowned else None

    def _open_at(self, line: int) -> tuple[str, str]:
        """Return the last mark up to the end of a line that counts there, as its kind and words."""
        kind, why = "", ""
        for at, _, found, text in self._marks:
            if at > line:
                break
            if found != "opens" or self._leads_in(at):
                kind, why = found, text
        return kind, why

    def _leads_in(self, line: int) -> bool:
        """Return whether the paragraph of a line introduces the output below it."""
        kinds = self._told.segments.kinds
        if self._told.text(line).rstrip().endswith((":", "：")):
            return True
        below = next((n for n in range(line, len(kinds)) if kinds[n] != "prose"), len(kinds))
        return next((kind for kind in kinds[below : below + _BLANKS] if kind != "blank"), "prose") != "prose"


def _marks(prose: Prose) -> Iterator[tuple[int, int, str, str]]:
    """Yield (line, position, kind, words) of what opens a frame, closes it or disowns something."""
    others = {prose.line_at(cue.start) for cue in prose.clause_cues if cue.kind == "them"}
    own = [cue for cue in prose.clause_cues if cue.kind in ("own", "mine")]
    opening = [cue for cue in prose.cues if cue.kind in _OPENS and cue.reach in ("forward", "sentence")]
    turns = [cue for cue in prose.cues if cue.kind == "turn"]  # "somebody asked me to run": the writer did
    opening = [
        cue for cue in opening if prose.line_at(cue.start) in others and not any(_overlap(cue, one) for one in turns)
    ]
    denied = [cue for cue in prose.cues if cue.kind == "negated" and cue.reach == "previous"]
    disowning = [cue for cue in prose.clause_cues if cue.kind == "disowned"]
    denied += [cue for cue in disowning if any(cue.end <= one.start < prose.sentence(cue.start)[1] for one in own)]
    disowning = [cue for cue in disowning if cue not in denied]
    claims = [cue for cue in prose.cues if cue.kind in _CLAIMS and any(_overlap(cue, one) for one in own)]
    mine = [*claims, *(cue for cue in own if cue.kind == "mine")]
    closing = [cue for cue in mine if not any(_overlap(cue, one) for one in (*opening, *disowning, *denied))]
    for kind, cues in (("opens", opening), ("closes", closing), ("disowned", disowning), ("denied", denied)):
        for cue in cues:
            yield prose.line_at(cue.start), cue.start, kind, prose.text[cue.start : cue.end]


def _overlap(cue: Cue, other: Cue) -> bool:
    return cue.start < other.end and other.start < cue.end


def _is_of_others(prose: Prose, event: Event) -> bool:
    """Return whether the sentence of an event is about somebody else's machine, and not about what they repaired."""
    first, _ = prose.sentence(event.place)
    said = [
        cue for cue in prose.clause_cues if first <= cue.start < event.place and cue.kind in ("own", "mine", "them")
    ]
    repaired = any(cue.kind == "repaired" for cue in prose.cues_in(first, event.place))
    return bool(said) and said[-1].kind == "them" and prose.line_at(event.place) == event.line and not repaired
