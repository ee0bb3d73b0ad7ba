"""Recognise contrasts between two sides, of which one works and the other fails: specs/language/contrasts.yaml.

nvidia-smi works on the host, but not in the container      works-on-host-alone
LD_LIBRARY_PATH works for Python but not R                  works-in-python-alone
After a reboot it runs; after a while the card is gone      works-for-a-while

A side is a place, a user, a program, a count or a time. It gets the outcome of its clause, or otherwise that of its
sentence. A side after "not" in its own clause fails ("but not in the container"), one after "unless" works, and one
after "until" ends what was before ("not available until I log in at the machine"). The cause lies in the difference
between the two sides: the tables of checks say what it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass
from accel.model.observation import Noted, Outcome
from accel.text.clauses import CLAUSE, LONGEST, SENTENCE
from accel.text.pattern import Pattern, pattern

_SIDES: Final = "language/contrasts"
_MOST_SIDES: Final = 400  # maximum mentions per text
_READ: Final = ("prose", "output")  # a short line of a form looks like output
_NEGATED: Final = pattern(r"(?:\bnot|\bnor|\bnever|n't|不|没有?)\s{0,2}(?:even\s|yet\s|只)?$")
_UNLESS: Final = pattern(r"\b(?:unless|except|apart from)\b[^.,;]{0,40}$|除了[^，。]{0,12}$|除非[^，。]{0,12}$")
_UNTIL: Final = pattern(r"\b(?:until|till|bis|jusqu'à ce que|hasta que|пока не)\b[^.,;]{0,40}$|直到[^，。]{0,12}$")
_WHEN: Final = pattern(  # a condition: that it runs there is no outcome
    r"\b(?:when|if|while|whenever|once)\s(?:it|I|we|you|this|the \w{1,16}|my \w{1,16})\s(?:is\s)?"
    r"(?:runs?|run|running|starts?|started|launch\w{0,2}|us(?:e|es|ed|ing)|works?|tr(?:y|ies))\b|运行(?:时|的时候)"
)
_QUESTION: Final = ("?", "？")
_LEADS_IN: Final = (":", "：")
_ERROR: Final = pattern(r"(?:Error|Exception|Errno|error|ERROR|FATAL)\b", exact_case=True)


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    start: int
    end: int


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each contrast of sides once, if both sides are told, or the one that suffices."""
    sides = _sides(page)
    if not sides:
        return
    table: Mapping[str, Any] = page.specs.table(_SIDES)
    told: dict[tuple[str, Outcome], int] = {}
    for side, outcome in _judged_sides(page, sides, table):
        told.setdefault((side.name, outcome), page.words.line_at(side.start))
    seen: set[str] = set()
    for pair in table["pairs"]:
        works, fails = told.get((pair["works"], "works")), told.get((pair["fails"], "fails"))
        if works is None or (fails is None and "alone" not in pair) or pair["states"] in seen:
            continue
        seen.add(pair["states"])
        values = (("works", pair["works"]), ("fails", pair["fails"]))
        yield Noted(fact=pair["states"], values=values, **page.on_line(works))
        if fails is not None and fails != works:
            yield Noted(fact=pair["states"], values=values, **page.on_line(fails))


def _sides(page: Page) -> Sequence[_Side]:
    """Return the sides that a text names, in order; of overlapping phrases only the longest counts."""
    found = sorted(
        (_Side(tag[1]["side"], match.start, match.end) for tag, match in page.phrases if tag[0] == "contrast"),
        key=lambda one: (one.start, -one.end),
    )
    kept: list[_Side] = []
    for one in found[:_MOST_SIDES]:
        if not kept or one.end > kept[-1].end:
            kept.append(one)
    return kept


def _judged_sides(page: Page, sides: Sequence[_Side], table: Mapping[str, Any]) -> Iterator[tuple[_Side, Outcome]]:
    grammar = _grammar(*(tuple(table[key]) for key in ("works", "fails", "turns")))
    at = 0
    for number, line in enumerate(page.lines, 1):
        begin, at = at, at + len(line) + 1
        here = [one for one in sides if begin <= one.start < at]
        if not here or len(line) > LONGEST or page.prose.segments.kind(number) not in _READ:
            continue
        for first, last in _parts(line, SENTENCE):
            sentence = line[first:last]
            if sentence.rstrip().endswith(_QUESTION):
                continue
            whole = grammar.outcome(sentence)
            if whole is None and line[first:].rstrip().endswith(_LEADS_IN) and _fails_below(page, number, grammar):
                whole = "fails"
            for start, end in _parts(sentence, CLAUSE):
                clause = sentence[start:end]
                for one in here:
                    place = one.start - begin - first
                    if start <= place < end:
                        till = place - start + one.end - one.start
                        outcome = _of_side(clause, place - start, till, grammar) or whole
                        if outcome is not None:
                            yield one, outcome


def _fails_below(page: Page, number: int, grammar: "_Grammar") -> bool:
    """Return whether the output that a line introduces, "over ssh it says:", is an error."""
    below = next((line for line in page.lines[number : number + 4] if line.strip(" \t`~")), "")
    return _ERROR.search(below) is not None or grammar.outcome(below[:LONGEST]) == "fails"


def _of_side(clause: str, place: int, till: int, grammar: "_Grammar") -> Outcome | None:
    """Return the outcome of a side in its clause: "not in the container" fails, whatever works before it."""
    if _UNLESS.search(clause, 0, till):
        return "works"
    if _UNTIL.search(clause, 0, place) and (before := grammar.outcome(clause[:place])) is not None:
        return "works" if before == "fails" else "fails"
    if _NEGATED.search(clause, 0, place) and not grammar.turns(clause):
        return "fails"
    but = re.split(r"\b(?:but|however|while|whereas)\b|但|却|而", clause[:place])[-1]
    return grammar.outcome(but + clause[place:])


def _parts(text: str, between: Pattern) -> Iterator[tuple[int, int]]:
    begin = 0
    for found in between.finditer(text):
        yield begin, found.start()
        begin = found.start() if between is CLAUSE else found.end()
    yield begin, len(text)


class _Grammar:
    """The words by which a clause states an outcome."""

    def __init__(self, works: Sequence[str], fails: Sequence[str], turns: Sequence[str]) -> None:
        self._works, self._fails, self._turns = (_any_of(words) for words in (works, fails, turns))

    def turns(self, clause: str) -> bool:
        return self._turns.search(clause) is not None

    def outcome(self, clause: str) -> Outcome | None:
        """Return the outcome: words of failure decide, unless they deny a failure ("no problem")."""
        rest, denied = self._turns.subn(" ", _WHEN.sub(" ", clause))
        if self._fails.search(rest):
            return "fails"
        return "works" if denied or self._works.search(rest) else None


@lru_cache(maxsize=4)
def _grammar(works: tuple[str, ...], fails: tuple[str, ...], turns: tuple[str, ...]) -> _Grammar:
    return _Grammar(works, fails, turns)


def _any_of(words: Sequence[str]) -> "re.Pattern[str]":
    """Return a pattern of whole words; "*" is any suffix, "..." some words in between, "$" the end of a clause."""
    forms = []
    for word in sorted(words, key=len, reverse=True):
        form = re.escape(word).replace(r"\*", r"\w{0,12}").replace(r"\ \.\.\.\ ", r"[^.\n]{1,40}").replace(r"\ ", r"\s")
        form = f"{form.removesuffix(chr(92) + '$')}(?=\\W{{0,8}}$)" if word.endswith("$") else form
        forms.append(form if ord(word[0]) > 0x2E80 else rf"\b{form}\b")
    return re.compile("|".join(forms), re.IGNORECASE)
