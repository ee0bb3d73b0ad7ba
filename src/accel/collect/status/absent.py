"""Why a fault that a text shows is not there now, as people of twelve languages say it. Pure.

"Fixed. Cheers", "never again since March", "sold it last month" end a fault above them. "Not one of ours", "the line is
invented for the drill", "before we upgrade: will we get this?", "none of it happened here" and "harmless, everything
trains" are about the whole text. specs/language/absent.yaml has the words, as families: a sentence gives a reason if it
has the families that the reason needs. A relapse below the words, a call for a cure and a fault in output that the
writer's own command printed outweigh them.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from accel.collect.status.place import Places
from accel.collect.status.told import Told
from accel.model.dataclass import dataclass
from accel.text.clauses import DOUBT, sentence_ends
from accel.text.cues import Prose
from accel.text.lexicon import Hit, Lexicon, families_of
from accel.text.pattern import pattern
from accel.text.ruling import Event, Ruling
from accel.text.segments import UPDATE, is_printed
from accel.text.words import Words

_BELOW: Final = ("solved", "ended", "gone")  # reasons that end a fault above them
_RULINGS: Final = {
    "theirs": Ruling("elsewhere", "the writer says that it is not theirs", tentative=True),
    "unarrived": Ruling("elsewhere", "the writer's own machine has not arrived yet", tentative=True),
    "made-up": Ruling("expected", "the writer says that it is made up"),
    "exercise": Ruling("expected", "an exercise, not a fault"),
    "not-here": Ruling("elsewhere", "the writer says that it does not happen here", tentative=True),
    "planned": Ruling("hypothetical", "asked before a change, and all is well so far"),
    "harmless": Ruling("negated", "the writer says that it is harmless, and that all works", tentative=True),
}
_NEEDS: Final = {"planned": "fine"}  # what else the text has to say
_AGAINST: Final = ("unsolved", "recurring", "shared")  # kinds of events
_AGAINST_OF: Final = {"planned": _AGAINST[:2], "made-up": _AGAINST}  # "will I get this, too?" is shared
_STATED: Final = {"not-here", "harmless", "fine"}  # not if they are asked
_VOID_IN_OWN_OUTPUT: Final = ("theirs", "unarrived", "planned", "not-here", "exercise")
_PARTS: Final = pattern(r"[,;:!?.](?=\s|$)|[()，；：！？。、（）~–—]|(?<= )-{1,2}(?= )|^[ \t]{0,4}-{1,3}")
_RELATIVE: Final = pattern(r" ?(?:which|who|that|der|die|das|den|welche[rs]?|qui|que|che|котор\w{2,3}|któr\w{1,3})\b")
_CONDITIONS: Final = ("apart", "other", "limited", "rarely", "back")  # cues of specs/language/marks
_FIRST_WORDS: Final = 12  # characters of a sentence
_LONGEST: Final = 1200  # characters of a line
_MOST: Final = 200  # lines of people's words that are read, from either end
_NEEDS_NO_TROUBLE: Final = frozenset(("never-again", "nevermore", "good-since", "not-back"))
_NEAR: Final = 24  # characters between "no" and what there is none of
_OF_BARE: Final = frozenset(("bare", "filler", "closer"))
_MOST_FILLERS: Final = 3  # beside a word such as "fixed"


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence that says something of it. acts: of specs/language/absent.yaml; asked: it is a question."""

    line: int
    place: int
    end: int
    acts: frozenset[str]
    asked: bool
    is_last: bool

    @property
    def contradicts(self) -> bool:
        """Whether it says that the fault persists, or asks for a cure."""
        return "cure" in self.acts or ("persists" in self.acts and not self.asked)


class Absent:
    """The reasons of one text. lexicon: specs/language/absent.yaml; faults: the lines that state a fault."""

    def __init__(self, told: Told, places: Places, lexicon: Lexicon, faults: frozenset[int]) -> None:
        self._told, self._places, self._lexicon, self._faults = told, places, lexicon, faults

    def ruling(self, line: int) -> Ruling | None:
        """Return why a fault on a line is not there now; None if the text does not say so."""
        for said in self._ending:
            event = Event(said.line, "solved", said.place)
            if said.line >= line and not self._places.frames.is_about_something_else(line, event):
                if "gone" in said.acts:
                    return Ruling("past", f"the device is gone: line {said.line}")
                return Ruling("past", f"resolved according to line {said.line}", tentative=not said.is_last)
        reason = self._reason_of_text
        if reason is None or (reason in _VOID_IN_OWN_OUTPUT and self._told.run_at(line) is not None):
            return None
        return _RULINGS[reason]

    @cached_property
    def _ending(self) -> list[_Said]:
        """The sentences that end what is above them, and that nothing below takes back."""
        last = max(self._faults, default=0)
        contradicted = max((one.place for one in self._said if one.contradicts), default=-1)
        opposed = max((event.place for event in self._events if event.kind in _AGAINST), default=-1)
        found = []
        for said in self._said:
            if said.asked or said.line < last or said.place < contradicted or said.acts.isdisjoint(_BELOW):
                continue
            solved = "solved" in said.acts  # "solved, but now I get this" in one sentence
            if (solved and said.contradicts) or opposed >= (said.place if solved else said.end):
                continue
            elsewhere = solved and any(self._is_conditional(one, said) for one in self._told.prose)
            if not (elsewhere or (solved and self._is_headed(said.line))):
                found.append(said)
        return found

    def _is_headed(self, line: int) -> bool:
        """Return whether a line is the answer to a heading of a form: "### Expected behavior"."""
        above = next((n for n in range(line - 1, 0, -1) if self._told.segments.kind(n) != "blank"), 0)
        return above > 0 and self._told.text(above).lstrip().startswith(("#", "**"))

    @staticmethod
    def _is_conditional(prose: Prose, said: _Said) -> bool:
        """Return whether good news holds elsewhere, for a while or under a condition: "on the host it works"."""
        if prose.line_at(said.place) != said.line or not prose.line_text(said.line).strip():
            return False
        marked = any(prose.is_marked(kind, said.place, said.end) for kind in _CONDITIONS)
        return marked or prose.has_word("under", said.place, min(said.end, said.place + _FIRST_WORDS))

    @cached_property
    def _reason_of_text(self) -> str | None:
        """The first reason that is about the whole text, if nobody says that it persists or asks for a cure."""
        acts = frozenset().union(*(one.acts - (_STATED if one.asked else set()) for one in self._said))
        acts -= {"exercise", "made-up"} if "real" in acts else set()
        found = next((one for one in _RULINGS if one in acts and _NEEDS.get(one, one) in acts), None)
        if found is None or (found != "made-up" and any(one.contradicts for one in self._said)):
            return None
        against = _AGAINST_OF.get(found, (*_AGAINST, "present"))
        return None if any(event.kind in against for event in self._events) else found

    @cached_property
    def _events(self) -> list[Event]:
        """The events that the writer does not only suppose: "reopen if it pops up a second time"."""
        supposed = [(one.place, one.end) for one in self._said if "supposed" in one.acts]
        return [e for e in self._told.events if not any(first <= e.place < end for first, end in supposed)]

    @cached_property
    def _said(self) -> list[_Said]:
        """What the sentences that people wrote say, in order."""
        told, found = self._told, list[_Said]()
        written = [(one, n) for one in told.prose for n in range(1, len(told.segments.kinds) + 1) if self._is_told(n)]
        last = max((number for _, number in written), default=0)
        for prose, number in (*written[:_MOST], *written[max(_MOST, len(written) - _MOST) :]):
            text = prose.line_text(number)
            start = prose.line_start(number)
            ends = number == last and not told.is_item(number)  # "- reinstalled: done" is a list of attempts
            for first, end in _sentences(text[:_LONGEST]):
                acts = frozenset(self._acts(text[first:end], prose, start + first, ends))
                if acts:
                    asked = text[first:end].rstrip(" )\"'*_").endswith(("?", "？"))
                    found.append(_Said(number, start + first, start + end, acts, asked, number == last))
        return found

    def _is_told(self, number: int) -> bool:
        """Return whether a person wrote a line: it is no fault's, and no command printed it."""
        kind = self._told.segments.kind(number)
        if kind != "output":
            return kind == "prose"
        inside = all(self._told.segments.kind(n) == "output" for n in (number - 1, number + 1))
        if inside or number in self._faults or self._told.run_at(number) is not None:
            return False
        return not is_printed(self._told.text(number).lstrip("-– "))

    def _acts(self, sentence: str, prose: Prose, start: int, is_last: bool) -> Iterator[str]:
        words = Words(sentence)
        hits = [hit for hit in self._lexicon.find(words, 0, len(sentence)) if not prose.is_masked(start + hit.start)]
        if not hits:
            return
        here = families_of(hits)
        doubted = any("closer" in hit.families and _is_doubted(sentence, hit, hits) for hit in hits)
        for act, _ in self._lexicon.acts(here):
            if not (act == "solved" and doubted) and not (act == "ended" and _is_troubled(hits)):
                yield act
        if is_last and here.isdisjoint(("denied", "others")) and _is_bare(sentence, words, hits):
            yield "solved"


def _is_doubted(sentence: str, good: Hit, hits: list[Hit]) -> bool:
    """Return whether a word in the same part of a sentence as good news denies or supposes it, or the part is a
    relative clause: "an error, which was solved".
    """
    part = max((mark.end() for mark in _PARTS.finditer(sentence, 0, good.start)), default=0)
    end = next((mark.start() for mark in _PARTS.finditer(sentence, good.end)), len(sentence))
    denied = any("negation" in hit.families and part <= hit.start < end for hit in hits if hit is not good)
    supposed = DOUBT.search(sentence[max(part, good.start - 30) : good.start]) is not None
    return denied or supposed or (part > 0 and _RELATIVE.match(sentence, part) is not None)


def _is_troubled(hits: list[Hit]) -> bool:
    """Return whether a sentence names trouble twice, what is absent and what is there, or not next to its denial."""
    trouble = [hit for hit in hits if "trouble" in hit.families]
    if len(trouble) != 1:
        return len(trouble) > 1
    denials = [hit for hit in hits if "no-more" in hit.families]
    if not denials or not families_of(hits).isdisjoint(_NEEDS_NO_TROUBLE):
        return False
    return not any(0 <= trouble[0].start - one.end <= _NEAR or one.start >= trouble[0].end for one in denials)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a line begin and end."""
    first = 0
    for end in (*sentence_ends(text), len(text)):
        if text[first:end].strip():
            yield first, end
        first = end


def _is_bare(sentence: str, words: Words, hits: list[Hit]) -> bool:
    """Return whether a part of a sentence consists of a word like "fixed", and fillers."""
    label = UPDATE.match(sentence)
    first = label.end() if label else 0
    ends = [mark.start() for mark in _PARTS.finditer(sentence, first) if mark[0] not in ":："]
    for end in (*ends, len(sentence)):
        inside = [hit for hit in hits if first <= hit.start < end and not hit.families.isdisjoint(_OF_BARE)]
        places = [place for place in words.starts if first <= place < end]
        plain = all(any(hit.start <= place < hit.end for hit in inside) for place in places)
        bare = sum("bare" in hit.families for hit in inside)
        if plain and bare and len(inside) - bare <= _MOST_FILLERS:
            return True
        first = end
    return False
