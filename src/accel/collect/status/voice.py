"""What the writer says about their own machine, if the place of a fault says that it is only mentioned. Pure.

A fault in a quotation, a patch, a rule or a record counts only if the writer claims it. "That is what my own card
prints, too", "node 14 logs the first one every hour" and "what else can I try?" claim it; "mine trains every night" and
"none of our nodes ever logged it" do not. The cues are in specs/language/voice.yaml. The last decisive sentence wins:
"for seven weeks nothing; since Friday it is gone".
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from accel.collect.status.faults import FAULTS, is_sure, kind_of
from accel.collect.status.told import BEGAN, Told
from accel.model.dataclass import dataclass, replace
from accel.model.grade import Status
from accel.model.observation import Observation
from accel.text.cues import Prose
from accel.text.pattern import pattern
from accel.text.ruling import Cue, Ruling

_COMMA: Final = frozenset(",，、;；")
_OF_OTHERS: Final = frozenset(("them", "disowned", "negated"))
_OPEN: Final = "it appears in quoted text, but the author seems to have the problem"
_BY_PLACE: Final = frozenset(("quoted", "source", "unclear"))
_CONVICTS: Final = frozenset(("present", "unclear"))
_BY_WORDS: Final = frozenset(("past", "hypothetical", "negated", "expected"))
_FIRED: Final = pattern(r"\[FIRING\b|\bactive for:? ?\d|\bfiring since\b|当前值|告警通知|已触发")
_NOT: Final = pattern(
    r"(?:\b(?:nothing|nobody|none|no|not|never|isn't|aren't|wasn't|without|nicht|keine?[nmrs]?|nie|sin|aucune?)[ ]"
    r"|没有?|无|未|не )$"
)


def with_own_words(judged: list[Observation], told: Told) -> list[Observation]:
    """Return the observations; faults that are only mentioned are present if the writer says that they have them."""
    messages = frozenset(one.line for one in judged if one.line is not None and kind_of(one) in FAULTS)
    voice = Voice(told, messages)
    theirs = voice.of_others()
    judged = [_of_others(one, theirs) if one.line in theirs and kind_of(one) in FAULTS else one for one in judged]
    faults = [one for one in judged if one.line in messages - theirs.keys() and kind_of(one) in FAULTS]
    if any(one.status == "present" and is_sure(one) for one in faults):
        return judged
    now: Status = "present"
    why: str | None = None
    if voice.is_sure:
        chosen = _BY_PLACE | _BY_WORDS | ({"elsewhere"} if voice.asks else set())
    elif voice.fails:
        chosen = _BY_PLACE
    elif voice.may_fail:
        chosen, why, now = _BY_PLACE, _OPEN, "unclear"
    else:
        return judged
    turned = {id(one) for one in faults if one.status in chosen and kind_of(one) != "complaint"}
    return [replace(one, status=now, why=why, doubt=None) if id(one) in turned else one for one in judged]


def _of_others(one: Observation, theirs: Mapping[int, Ruling]) -> Observation:
    ruling = theirs[one.line or 0]
    if one.status not in _CONVICTS:
        return one
    return replace(one, status=ruling.status, why=ruling.reason, doubt=None)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What a sentence says.

    fails, runs  the writer's machine fails, or runs; same: it does what is mentioned
    here         it is about their machine, or the present; apart: about another's, or the past
    lately       about their machine, since a time that it names
    asks, bound  it asks for help; it says that they cannot do anything about it
    mends        it asks how to cure what is mentioned, or why it happens
    """

    line: int
    fails: bool = False
    runs: bool = False
    here: bool = False
    same: bool = False
    asks: bool = False
    bound: bool = False
    apart: bool = False
    lately: bool = False
    mends: bool = False


class Voice:
    """What the sentences of a text say about the writer's own machine."""

    def __init__(self, told: Told, messages: frozenset[int]) -> None:
        """messages  the lines that state a fault"""
        self._told = told
        self._messages = messages

    @cached_property
    def sentences(self) -> list[_Sentence]:
        """The sentences with a cue, in order."""
        found = [sentence for prose in self._told.prose for sentence in _sentences(prose)]
        said = self._told.segments.kind  # the writer does not say what a program prints
        written = (one for one in found if one.line not in self._messages or said(one.line) != "output")
        return sorted(written, key=lambda sentence: sentence.line)

    @cached_property
    def _ruling(self) -> list[_Sentence]:
        """The sentences after the last one that says that it runs, or is over: everything before that is over."""
        over = max((e.line for e in self._told.events if e.kind in ("solved", "works", "outcome")), default=0)
        over = (
            0 if any(e.kind in ("unsolved", "recurring", "ask") and e.line >= over for e in self._told.events) else over
        )
        last = max((n for n, one in enumerate(self.sentences) if one.runs or one.line < over), default=-1)
        return self.sentences[last + 1 :]

    @cached_property
    def _fired(self) -> bool:
        count = len(self._told.segments.kinds)
        return any(_FIRED.search(self._told.text(line)) for line in range(1, count + 1))

    @property
    def is_sure(self) -> bool:
        """Whether the writer says that they have what is mentioned, now."""
        return any(one.same or (one.fails and one.here) for one in self._ruling) and (not self._is_over or self.asks)

    @property
    def asks(self) -> bool:
        """Whether the writer asks for help after the last sentence that says that it runs, or says what they cannot
        do.
        """
        return any(one.asks or one.bound for one in self._ruling)

    def of_others(self) -> dict[int, Ruling]:
        """Return the lines whose faults the text attributes to somebody else, with what says so; empty if the writer
        has them, too, asks how to cure them, or says nothing about their own machine.
        """
        if not any(cue.kind in _OF_OTHERS for prose in self._told.prose for cue in (*prose.cues, *prose.clause_cues)):
            return {}
        from accel.collect.status.frames import Frames  # few texts mention others or deny anything

        frames = Frames(self._told)
        found = {line: ruling for line in self._messages if (ruling := frames.ruling(line)) is not None}
        mine = [one for one in self.sentences if frames.ruling(one.line) is None]
        if not found or self._fired or self._told.says("shared") or any(one.same or one.bound for one in mine):
            return {}
        if self._told.says("unsolved", "recurring") or any(one.mends for one in self.sentences):
            return {}
        fails = any(one.fails and one.here for one in mine)
        runs = any(one.runs and one.here and not one.apart for one in mine)
        return found if frames.disowned or (runs and not fails) else {}

    @property
    def _is_over(self) -> bool:
        """Whether the writer says that it is over, after the last sentence that says that it fails."""
        last = max((one.line for one in self._ruling if one.fails or one.same), default=0)
        return any(e.kind in ("solved", "closed", "works", "outcome") and e.line >= last for e in self._told.events)

    @property
    def fails(self) -> bool:
        """Whether something of the writer's fails, or an alert fired."""
        asks = any(one.asks or one.bound for one in self.sentences)
        return self._fired or any(one.fails and (asks or one.here) for one in self._ruling)

    @property
    def may_fail(self) -> bool:
        """Whether there is any evidence of a fault. In a document, "we" are its authors."""
        if self._told.segments.is_mainly(("document",)):
            return False
        good = {event.line for event in self._told.events if event.kind in ("well", "works", "listed", "solved")}
        lately = any(one.lately and one.line not in good for one in self._ruling)
        return lately or any(one.fails or one.same or one.bound for one in self._ruling)


def _sentences(prose: Prose) -> Iterator[_Sentence]:
    """Yield the meaning of each sentence with a cue."""
    groups: dict[int, list[Cue]] = {}
    for cue in prose.clause_cues:
        if cue.kind != "fails" or not prose.is_marked("denies", *prose.sentence(cue.start)):  # "I do not see it"
            groups.setdefault(prose.sentence(cue.start)[0], []).append(cue)
    for start, cues in groups.items():
        yield _sentence(prose, start, cues)


def _sentence(prose: Prose, start: int, cues: list[Cue]) -> _Sentence:
    """Combine the cues of a sentence in order: the last one about failing or running decides."""
    kinds = {"own" if cue.kind in ("mine", "disowned") else cue.kind for cue in cues}
    supposed = any(cue.kind == "hypothetical" and cue.reach != "text" for cue in prose.cues_in(start, cues[-1].start))
    whose, fails, runs, same = "", False, False, False
    end = 0
    for cue in cues:
        kind = cue.kind
        if cue.start < end:
            continue
        end = cue.end
        if kind == "fails" and any(
            one.kind == "negated" and _COMMA.isdisjoint(prose.masked[one.end : cue.start])
            for one in prose.cues_in(start, cue.start)
        ):
            continue
        if kind in ("fails", "runs") and _NOT.search(prose.masked, max(0, cue.start - 10), cue.start):
            kind = "runs" if kind == "fails" else "fails"
        kind = "own" if kind == "mine" else kind
        if kind in ("own", "them") and prose.masked[cue.start - 1 : cue.start] != "-":  # an option
            whose = kind
        elif whose != "them" and kind in ("fails", "runs", "same"):
            fails, runs, same = kind == "fails", kind == "runs", kind == "same"
    if not (fails or runs or same) and "since" in kinds and _prints(prose, cues):
        same = True
    past = "once" in kinds and "since" not in kinds
    supposed = (supposed and "since" not in kinds) or past
    return _Sentence(
        line=prose.line_at(cues[0].start),
        fails=fails and not supposed,
        runs=runs and "bound" not in kinds,
        same=same and not supposed,
        here=bool(kinds & {"own", "since"}),
        asks="plea" in kinds,
        bound="bound" in kinds,
        mends="mends" in kinds,
        apart=bool(kinds & {"them", "once"}),
        lately="own" in kinds
        and (("since" in kinds and _quotes(prose, start)) or any(BEGAN.match(prose.text, cue.start) for cue in cues))
        and not (runs or supposed or "them" in kinds),
    )


def _quotes(prose: Prose, start: int) -> bool:
    """Return whether a sentence has words in quotation marks."""
    return "\x01" in prose.masked[slice(*prose.sentence(start))]


_SAYS: Final = pattern(r"\b(?:prints?|says?|shows?|gives?|logs?|reports?|throws?|raises?)\b|报|打印|显示|出现|表示")


def _prints(prose: Prose, cues: list[Cue]) -> bool:
    """Return whether a program now prints what the sentence quotes: "Now it prints "…""."""
    since = next(cue for cue in cues if cue.kind == "since")
    _, last = prose.sentence(since.start)
    said = _SAYS.search(prose.masked, since.end, last)
    return said is not None and "\x01" in prose.masked[said.end() : said.end() + 40]
