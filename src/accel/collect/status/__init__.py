"""Decide for each statement of a text whether it holds now: present, past, negated, quoted, source, expected,
hypothetical, elsewhere, unclear.

The rules, in order; the first one that applies decides.

1. The kind of the surrounding text (accel.text.segments): a quotation, a patch, code, a passed test, documentation.
2. The words of its sentence (accel.text.cues): "would I get", "never saw", "on the old server, which is retired". A
   message in quotation marks counts only if its sentence says that it appeared (accel.text.quotations).
3. The sentence that introduces a block: "Before the repair:", "The docs say:".
4. What happened to it later: it is said to be solved, the same command works, the work is being done again, its record
   is closed, later log entries report a repair and no trouble (accel.text.records). That counts only if nothing below
   contradicts it: the fault is printed again, "still", "any ideas?".
5. A text that is a plan, or says that nothing is wrong, and shows no output with a fault.
6. The words of the whole text, if they are unlike those of a report (accel.collect.status.reads_as_report). Marks of
   a change, a request or a guide (accel.text.genres) make a report less likely. If the words are surely a report's,
   weak hints from 2, 4 and 5 that all is well leave an open question.
7. What the writer says about their own machine (accel.collect.status.voice): if all faults are only mentioned, and the
   last decisive sentence says that it fails, they are present, or an open question.
8. Why it is not there now, in words of many languages (accel.collect.status.absent): solved, sold, made up.
9. Their own health (accel.collect.status.health) against a message attributed to others, read about or past.

Without a positive reason, a statement is present: the silence of a text proves nothing.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.collect.status.company import with_company, with_fallbacks, with_use_shown
from accel.collect.status.faults import FAULTS, SURE, kind_of
from accel.collect.status.later import Later
from accel.collect.status.place import Places
from accel.collect.status.reads_as_report import is_written, knows_its_words, likelihood, words_around
from accel.collect.status.told import Told
from accel.model.dataclass import dataclass, replace
from accel.model.observation import Complaint, Observation
from accel.text.lexicon import Lexicon
from accel.text.quotations import IN_MARKS
from accel.text.ruling import Ruling

if TYPE_CHECKING:
    from accel.collect.status.absent import Absent

__all__ = ["Told", "fault_lines", "over", "with_status"]

# How likely a report has to be. Below the first its faults are shown as mentioned; between the first two it is an open
# question whether they are there now. Chosen with the weights fitted on four fifths of the texts, by pair and source:
# of the present faults that nothing else decides 2 in 100 fall below the first and 7 below the second.
_UNLIKELY: Final = 0.1
_LIKELY: Final = 0.25
_UNLIKELY_IN_A_FORM: Final = 0.5  # one mark of a change, a request or a guide, combined with the words
_LIKELY_BY_HEADINGS: Final = (_LIKELY, 0.15, 0.1)  # by how many headings of a bug report's form the text has
_LIKELY_WITH_A_CUE: Final = 0.3
_LIKELY_WITH_A_QUESTION: Final = 0.1  # of a text that ends in a call for help, or introduces its output
_A_REPORT: Final = 0.9  # above it, hints that all is well decide nothing: half of such texts are reports
_NO_REPORT: Final = Ruling("quoted", "the text reads as a record or an explanation, not as a report of a fault")
_OPEN: Final = 0.5  # below this, a message in quotation marks without other evidence is only mentioned
_MANY_WORDS: Final = 40  # around faults
_HARDLY_A_REPORT: Final = Ruling("unclear", "the text reads more like a record or an explanation than a report")
_NOT_HERE: Final = ("negated", "elsewhere")
_TOLD_OF_OTHERS: Final = ("elsewhere", "quoted", "past")
_GOOD: Final = ("solved", "works", "listed", "closed", "outcome", "well")
_SAID: Final = frozenset(("product", "installed", "command", "experiment"))  # hold in any tense


def with_status(
    observations: Sequence[Observation],
    told: Told,
    report_words: Mapping[str, Any] | None = None,
    context: Container[str] = (),
    fallback: Container[str] = (),
    absent: Lexicon | None = None,
) -> list[Observation]:
    """Return the observations with their status. Their lines are those of `told`.

    report_words  the table language/report_words; None: the words of the whole text are not considered
    fallback      names of facts that are expected if there is no accelerator, or none is wanted
    absent        the words of language/absent; None: reasons why a fault is not there now are not read
    context       names of facts that are not faults: if people wrote a lot on their lines, that is considered too
    """
    places = Places(observations, told)
    later = Later(observations, told, places)
    faults = fault_lines(observations, told)
    if context and not is_written(list(told.lines()), faults):
        stated = [one for one in observations if getattr(one, "fact", None) not in context]
        apart = fault_lines(stated, told)
        faults = apart if words_around(list(told.lines()), apart) >= _MANY_WORDS else faults
    # A writer who says what it works with, and still asks, reports a present fault.
    works = any(getattr(one, "outcome", None) == "works" for one in observations)
    asks = told.says("unsolved", "ask") and works
    asks |= told.says("shared") or (told.ends_in_a_call and told.says("unsolved", "recurring", "present"))
    asks |= told.is_open and not (told.has_form or told.says(*_GOOD)) and _is_left_open(told, faults)
    asks |= told.ends_unsolved or (told.bug_form_headings > 0 and not told.has_form)
    mistaken = any(getattr(one, "fact", None) == "mistake-in-program" for one in observations)
    if mistaken:
        from accel.collect.status.mistakes import shows_mistake, with_mistakes  # few reports show a program

        asks |= shows_mistake(observations)
    asks |= any(told.is_own(line) for line in faults)
    printed = any(told.is_output(line) for line in faults)
    contrasts = printed and not told.has_form and (works or told.says("works", "solved"))
    asks |= contrasts and places.frames.tells_what_else_works(observations)
    likely = likelihood(told.lines(), faults, report_words) if faults and not asks else None
    enough = _LIKELY_BY_HEADINGS[min(told.bug_form_headings, 2)]
    calls = told.ends_in_a_call or told.is_open or _is_shown(told, faults)
    enough = _LIKELY_WITH_A_QUESTION if calls else enough
    blind = likely is not None and not knows_its_words(told.lines(), report_words)
    words = _Words(likely, _unlikely(told, faults) if likely is not None and not blind else 0.0, enough)
    judged = [_judged(one, places, later, words, context) for one in observations]
    judged = with_fallbacks(with_company(judged, told, later), told, fallback)
    judged = with_use_shown(judged, told, fallback)
    judged = with_mistakes(judged, told) if mistaken else judged
    there = all(one.status == "present" for one in judged if kind_of(one) in FAULTS)
    if not faults:
        return judged
    if "prose" in told.segments.kinds or not there:
        from accel.collect.status.voice import with_own_words  # output alone has no writer

        judged = with_own_words(judged, told)
    if absent is not None and _is_written_about(told, faults):
        from accel.collect.status.absent import Absent  # many reports are output alone

        judged = _without_absent(judged, Absent(told, places, absent, faults), context, words)
    if not any(cue.kind in _TOLD_OF_OTHERS for prose in told.prose for cue in prose.cues):
        return judged
    from accel.collect.status.health import with_own_health

    return with_own_health(judged, told, context)


def with_subjects(
    judged: Sequence[Observation], subjects: Container[str], of_source: Container[str] = ()
) -> list[Observation]:
    """Return the observations with those present that say what a text is about, whatever else their sentence denies.

    subjects   names of such facts; what works elsewhere, or might be done, is not the text's subject
    of_source  names of facts that the program's own lines state
    """
    return [
        replace(one, status="present", why=None, doubt=None)
        if (one.status in ("negated", "quoted", "past", "unclear") and getattr(one, "fact", None) in subjects)
        or (one.status == "source" and getattr(one, "fact", None) in of_source)
        else one
        for one in judged
    ]


def over(starts: Iterable[int | None], judged: Sequence[Observation], told: Told) -> frozenset[int | None]:
    """Return which of the lines, at which outputs start, show something that does not hold now: none if a fault
    holds.

    starts  None: spread over the text, such as versions in sentences, which are over if all its faults are past
    """
    starts = frozenset(starts)
    lines = {line for line in starts if line is not None}
    faults = [one for one in judged if one.line is not None and (kind_of(one) in SURE or kind_of(one) == "complaint")]
    if not starts or any(one.status in ("present", "unclear") for one in faults):
        return frozenset()
    spread = starts - lines if any(one.status == "past" for one in faults) else frozenset()
    places = Places(judged, told)
    later = Later(judged, told, places)
    heads = {line: places.of(Complaint(form="words", text="", line=line, last_line=line)) for line in lines}
    rulings = {line: later.said_over(line, head) or head for line, head in heads.items()}
    return spread | frozenset(
        line
        for line, ruling in rulings.items()
        if ruling is not None and not ruling.weak and ruling.status in ("past", "elsewhere", "hypothetical")
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """The evidence of the whole text's words. likely: the probability that it is a report; None: unknown."""

    likely: float | None
    unlikely: float  # below this, its faults are only mentioned
    enough: float  # from this on, they are present


def _is_written_about(told: Told, faults: Container[int]) -> bool:
    """Return whether a person may have written about the faults: a sentence, or a paragraph of its own at the end."""
    kinds = told.segments.kinds
    last = max((line for line, kind in enumerate(kinds, 1) if kind != "blank"), default=0)
    return "prose" in kinds or (last not in faults and told.segments.kind(last - 1) == "blank")


def _without_absent(
    judged: list[Observation], absent: "Absent", context: Container[str], words: _Words
) -> list[Observation]:
    """Return the observations; faults that the text says are not there now are not present."""
    rulings = {
        id(one): _by_words(ruling, words) or ruling
        for one in judged
        if one.status in ("present", "unclear") and kind_of(one) in FAULTS and one.line is not None
        if getattr(one, "fact", None) not in context and (ruling := absent.ruling(one.line)) is not None
    }
    return [
        replace(one, status=ruling.status, why=ruling.reason, doubt=None)
        if (ruling := rulings.get(id(one))) is not None
        else one
        for one in judged
    ]


def _judged(one: Observation, places: Places, later: Later, words: _Words, context: Container[str]) -> Observation:
    kind = kind_of(one)
    if one.line is None or (kind not in FAULTS and kind not in _SAID):
        return replace(one, doubt=None) if one.doubt is not None else one
    if kind in _SAID:
        ruling = places.by_kind(one.line)
    elif getattr(one, "fact", None) in context:  # the context does not end with the fault
        ruling = _ruling(one, places, later)
        ruling = ruling if ruling is not None and ruling.status in _NOT_HERE else places.by_kind(one.line)
    else:
        ruling = _by_words(_ruling(one, places, later), words)
    if ruling is None or ruling.weak:
        return (
            one
            if (one.status, one.doubt) == ("present", None)
            else replace(one, status="present", why=None, doubt=None)
        )
    return replace(one, status=ruling.status, why=ruling.reason, doubt=None)


def fault_lines(observations: Iterable[Observation], told: Told) -> frozenset[int]:
    """Return the numbers of the lines that state a fault; a message does not continue in prose below it."""
    return frozenset(
        line
        for one in observations
        if one.line is not None and kind_of(one) in FAULTS
        for line in range(one.line, (one.last_line or one.line) + 1)
        if line == one.line or told.segments.kind(line) != "prose"
    )


def _is_shown(told: Told, faults: Iterable[int]) -> bool:
    """Return whether a sentence above a fault introduces it as what the writer got: "The error is:"."""
    leads = {told.lead_of(line) for line in faults if told.segments.kind(line) != "prose"}
    return any(told.says("present", line=lead) for lead in leads if lead is not None)


def _is_left_open(told: Told, faults: Iterable[int]) -> bool:
    """Return whether the writer says below a fault that a program printed that it persists."""
    printed = [line for line in faults if told.is_output(line)]
    return bool(printed) and any(one.kind == "unsolved" and one.line > max(printed) for one in told.events)


def _unlikely(told: Told, faults: Iterable[int]) -> float:
    """Return the probability below which the faults of a text are only mentioned.

    0 (never): if the writer asks for help, or shows the command that printed the fault
    """
    if told.says("unsolved", "recurring", "shared") or told.ends_in_a_call:
        return 0.0
    if told.has_form:
        return _UNLIKELY_IN_A_FORM
    return 0.0 if any(told.run_at(line) is not None for line in faults) else _UNLIKELY


def _by_words(ruling: Ruling | None, words: _Words) -> Ruling | None:
    """Return the ruling, or that of the whole text's words if it is not decisive."""
    likely = words.likely
    if ruling is not None and ruling.tentative and likely is not None and likely >= _A_REPORT:
        return Ruling("unclear", f"{ruling.reason}, and yet the text reads as a report")
    in_marks = ruling is not None and ruling.reason == IN_MARKS
    if ruling is not None and in_marks and ruling.status == "unclear" and likely is not None and likely < _OPEN:
        return replace(ruling, status="quoted")
    if likely is None or (ruling is not None and not ruling.weak):
        return ruling
    if ruling is not None and likely < _LIKELY_WITH_A_CUE:
        calls = words.enough < _LIKELY  # the text ends with a call for help, so do not stay silent
        return Ruling("unclear", ruling.reason) if calls else replace(ruling, weak=False)
    if ruling is not None:
        return ruling
    return _NO_REPORT if likely < words.unlikely else _HARDLY_A_REPORT if likely < words.enough else None


def _ruling(one: Observation, places: Places, later: Later) -> Ruling | None:
    here = places.of(one)
    if here is not None and not here.weak:
        return here
    if later.is_closed_record(one):
        return Ruling("past", "its record is closed")
    if entry := later.by_records(one):
        return entry
    if boot := later.by_boots(one.line or 0):
        return boot
    plain = kind_of(one) == "noted" and one.line not in later.trouble_lines
    if plain and (here is None or here.status == "quoted"):
        gone = None if later.is_unsolved else later.said_over((one.line or 0) + 1, here)
        return later.by_whole_text(one) or gone or here  # lines without an error stay as they are
    return later.by_events(one, here) or later.by_runs(one) or later.by_whole_text(one) or here
