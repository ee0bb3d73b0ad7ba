"""The writer's own health against a message that is attributed to others, read about or of another time. Pure.

"Last week rocminfo answered …" and "people end up with …" decide nothing alone: people report their own faults so, too.
They count if the writer's machine is well: a sentence says so, or a command that names the same thing prints no fault.
They do not if "now" or "on mine" stands before the message, if anything else fails, or if the writer asks for a cure.
"""

from collections.abc import Container, Iterator
from typing import Final

from accel.collect.status.faults import FAULTS, is_sure, kind_of
from accel.collect.status.told import Told
from accel.collect.status.voice import Voice
from accel.model.dataclass import replace
from accel.model.grade import Status
from accel.model.observation import Observation
from accel.text.pattern import pattern
from accel.text.ruling import Cue
from accel.text.segments import Run

_OPENS: Final[dict[str, Status]] = {"elsewhere": "elsewhere", "quoted": "quoted", "past": "past"}
_WHY: Final = "it is about others or another time, and the writer's own machine works"
_LEADS_IN: Final = pattern(r"[\w:：,，]$")
_NAMED: Final = pattern(r"(?<=[\"'])[\w-]{3,40}(?=[\"'])|\b[a-z]{2,12}_\w{2,30}")  # "render", sm_120
_PROGRAM: Final = pattern(r"(?:sudo )?([\w./-]{3,60})\b(?![^\n]* (?:--?version|-V|--help)\b)")
_BLOCK: Final = 40  # lines of a paragraph; two blank lines at most are between its lead-in and it


def with_own_health(judged: list[Observation], told: Told, context: Container[str]) -> list[Observation]:
    """Return the observations; faults of others, read about or past are not present if the writer's machine is well."""
    faults = [one for one in judged if kind_of(one) in FAULTS and getattr(one, "fact", None) not in context]
    own = _Health(told, frozenset(one.line or 0 for one in faults if kind_of(one) != "noted"))
    there = [one for one in faults if one.status in ("present", "unclear")]
    cues = {one.line: own.cue(one.line or 0) for one in there}
    first = min((line or 0 for line, cue in cues.items() if cue is not None), default=0)
    if not first or any(is_sure(one) and cues[one.line] is None and (one.line or 0) > first for one in there):
        return judged
    over = {line: _OPENS[cue.kind] for line, cue in cues.items() if cue is not None and own.outweighs(line or 0, cue)}
    turned = {id(one) for one in there if one.line in over}
    return [replace(one, status=over[one.line], why=_WHY, doubt=None) if id(one) in turned else one for one in judged]


class _Health:
    """What a text shows of the writer's own machine. faulty: the lines with faults."""

    def __init__(self, told: Told, faulty: frozenset[int]) -> None:
        self._told, self._faulty = told, faulty
        self._spoken = [(one, sorted((*one.cues, *one.clause_cues), key=lambda cue: cue.start)) for one in told.prose]
        self._cues: dict[int, Cue | None] = {}
        self._said = Voice(told, faulty).sentences
        self._asks_another = any(told.has("offtopic", line) for line in range(1, len(told.segments.kinds) + 1))

    def cue(self, line: int) -> Cue | None:
        """Return the cue in a line's paragraph or its lead-in that attributes the line to others or the past."""
        if line not in self._cues:
            self._cues[line] = next(self._opened(line), None)
        return self._cues[line]

    def _opened(self, line: int) -> Iterator[Cue]:
        head = self._head(line)
        begun = self._told.has_begun(head)
        led = self._told.segments.kind(head + 1) in ("blank", "command")
        for prose, cues in self._spoken:
            start = prose.sentence(prose.line_end(head) - 1)[0] if led else prose.line_start(head)
            opened: Cue | None = None
            for cue in (cue for cue in cues if start <= cue.start < prose.line_end(line)):
                if cue.kind in _OPENS and cue.reach in ("forward", "sentence") and not (cue.kind == "quoted" and begun):
                    opened = cue
                elif opened is not None and cue.start >= opened.end:
                    closes = ("mine", "turn", "shared", *(() if opened.kind == "elsewhere" else ("since", "repaired")))
                    opened = None if cue.kind in closes else opened
            if opened is not None:
                yield opened

    def _head(self, line: int) -> int:
        """Return the line of the sentence that leads in a line's paragraph, otherwise the paragraph's first line."""
        kind, first = self._told.segments.kind, line
        while kind(first - 1) not in ("blank", "command") and line - first < _BLOCK:
            first -= 1
        head = next((n for n in range(first - 1, max(0, first - 4), -1) if kind(n) not in ("blank", "command")), 0)
        leads = kind(head) in ("prose", "output") and _LEADS_IN.search(self._told.text(head).rstrip())
        return head if leads else first

    def outweighs(self, line: int, cue: Cue) -> bool:
        """Return whether the writer's machine is well, of a past fault below it, and nothing of theirs fails."""
        after = line if cue.kind == "past" else 0
        mine = [event for event in self._told.events if event.line > after and self.cue(event.line) is None]
        asks = () if after or self._asks_another else ("ask",)
        if any(event.kind in ("unsolved", "recurring", "shared", "present", *asks) for event in mine):
            return False
        said = [one for one in self._said if one.line > after and self.cue(one.line) is None]
        if any((one.fails and one.here) or one.same or one.asks or one.bound or one.mends for one in said):
            return False
        runs_here = (one.line for one in self._said if one.runs and one.here and not one.apart)
        well = [n for n in runs_here if not self._is_limited(n)] + [
            event.line for event in self._told.events if event.kind == "well"
        ]
        if any(n > after and not self._is_of_others(n) for n in well):
            return True
        runs = () if self._told.run_at(line) is not None else self._told.segments.runs  # those are compared before
        return any(run.line > after and self._is_clean(run, line) for run in runs)

    def _is_of_others(self, line: int) -> bool:
        return (cue := self.cue(line)) is not None and cue.kind == "elsewhere"

    def _is_limited(self, line: int) -> bool:
        return any(self._told.has(kind, line) for kind in ("apart", "other", "limited", "hedged"))

    def _is_clean(self, run: Run, line: int) -> bool:
        """Return whether a command prints no fault, and is named with the message, or prints what that names."""
        printed = [n for n in range(run.first, run.last + 1) if self._told.segments.kind(n) != "blank"]
        lead = self._told.lead_of(run.line) or run.line
        if not printed or self._is_of_others(lead) or self._is_limited(lead) or self._faulty.intersection(printed):
            return False
        program = _PROGRAM.match(run.command)
        above = " ".join(map(self._told.text, range(self._head(line), line + 1)))
        if program is not None and program[1].rsplit("/", 1)[-1] in above:
            return True
        return any(word in self._told.text(n) for n in printed for word in _NAMED.findall(self._told.text(line)))
