"""Rulings from the place of a statement: the kind of text, its sentence, its block's lead-in."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from accel.collect.status.faults import FAULTS, SURE, is_certain, kind_of
from accel.collect.status.told import Told
from accel.model.dataclass import replace
from accel.model.observation import Observation
from accel.text.pattern import pattern
from accel.text.quotations import IN_MARKS
from accel.text.ruling import Ruling
from accel.text.segments import STATUS_OF, is_prose, prints_files

if TYPE_CHECKING:
    from accel.collect.status.frames import Frames

_INJECTS: Final = pattern(r"\binject|--simulate\b|\bfault-injection\b")
_SEARCHES: Final = pattern(
    r"\b(?:grep|rg|ag|ack|awk|sed)\b[^\n|]{0,80}[ ](?:\"[^\"\n ]+ [^\"\n]*\"|'[^'\n ]+ [^'\n]*')"
)  # for a message
_NAMES_A_LOG: Final = pattern(r"\b[\w-]{1,40}\.(?:log|txt|out|err)`?[ ]{0,2}[:：]\s{0,4}$")  # "this is make.log:"
_FEW_WORDS: Final = 3  # before a denial that still opens its sentence
_SENTENCE_ENDS: Final = pattern(r"[ ]{0,2}([.:;!。：；！,，]|(?=\n)|$)")
_OWN: Final = pattern(r"\b(?:I|me|my|mine|we|us|our)\b|我|私|僕|мне|меня|у нас|\b(?:ich|mir|mein|je|moi|mon|yo|mi)\b")


def doubt_of(one: Observation) -> Ruling | None:
    """Return the ruling of a fault's sentence that only counts with a resolution elsewhere."""
    return Ruling(one.doubt, one.why or "", weak=True) if one.doubt is not None else None


_ASSERTS: Final = frozenset(("present", "unsolved", "recurring", "turn"))
_NOT_HIS: Final = frozenset(("quoted", "elsewhere", "hypothetical", "negated"))


class Places:
    """Rulings based on the place of one text's observations."""

    def __init__(self, observations: Sequence[Observation], told: Told) -> None:
        self._told = told
        self._leads: dict[int, Ruling | None] = {}
        runs = told.segments.runs
        self._injected = min((run.line for run in runs if _INJECTS.search(run.command)), default=None)
        self._quotes_are_his = self._marks_are_his = False
        self.first = [self.of(one) if kind_of(one) in FAULTS else None for one in observations]
        pairs = zip(observations, self.first, strict=True)
        first = [ruling for one, ruling in pairs if one.line and kind_of(one) in FAULTS]
        self._are_faults_quoted = bool(first) and all(one is not None and one.status == "quoted" for one in first)
        self._quotes_are_his = self._are_quotes_his()
        self._marks_are_his = self._are_marks_his(observations)

    @cached_property
    def frames(self) -> "Frames":
        """Whose machine the text is about."""
        from accel.collect.status.frames import Frames  # few texts have good news

        return Frames(self._told)

    def by_kind(self, line: int) -> Ruling | None:
        """Return the ruling for statements in a line's kind of text."""
        kind = self._told.segments.kind(line)
        if kind == "quote" and self._quotes_are_his:
            return None
        return Ruling(*STATUS_OF[kind]) if kind in STATUS_OF else None

    def of(self, one: Observation) -> Ruling | None:
        """Return the ruling from a fault's place; a weak ruling needs a resolution elsewhere in the text."""
        line = one.line or 0
        kind = self._told.segments.kind(line)
        if kind in STATUS_OF:
            return self.by_kind(line)
        if line in self._denied:
            return Ruling("negated", "denied in the sentence next to it")
        if kind_of(one) == "complaint" and not is_certain(one) and self._is_sought(line):
            return Ruling("quoted", "not found on a page, which says nothing of a machine")
        if self._is_notice:
            return Ruling("hypothetical", "addressed to others who have this problem")
        if kind == "command" and self._are_its_words(one):
            return Ruling("source", "words of a command")
        if self._injected is not None and line > self._injected:
            return Ruling("expected", f"injected in line {self._injected}")
        if one.status == "quoted" and (
            self._marks_are_his if one.why == IN_MARKS else self._told.is_shared_below(line)
        ):
            return None
        if one.status != "present":  # judged by its sentence when it was read
            return Ruling(one.status, one.why or "", tentative=one.why == IN_MARKS)
        if kind == "prose" and (
            kind_of(one) in ("complaint", "raised") or one.source
        ):  # their position in the line is unknown
            quoted = kind_of(one) != "complaint" and self._told.is_quoting(line)
            return self._of_line(line) or (Ruling("quoted", IN_MARKS, weak=True) if quoted else None)
        weak = doubt_of(one)
        weak = None if weak is not None and weak.status == "quoted" and self._marks_are_his else weak
        led = self._led_in(line) if kind != "prose" or self._told.is_item(line) else None
        if led is None and weak is None:
            return self._frame
        return led if led is not None and (weak is None or not led.weak) else weak

    @cached_property
    def _denied(self) -> frozenset[int]:
        """The lines of output that the sentence right above or below denies as a whole: "I never get this error."."""
        kind, count = self._told.segments.kind, len(self._told.segments.kinds)
        found: set[int] = set()
        for one in self._told.prose:
            for cue in one.marks("denies", 0, len(one.text)):
                line, ends = one.line_at(cue.start), _SENTENCE_ENDS.match(one.text, cue.end)
                first = one.sentence(cue.start)[0]
                if ends is None or kind(line) != "prose" or any(c.kind == "turn" for c in one.cues_in(first, cue.end)):
                    continue
                opens = not any(c.kind in _ASSERTS for c in one.cues_in(one.line_start(line), first))
                refers = len(one.text[first : cue.start].split()) > _FEW_WORDS  # "A is theirs, we don't have that"
                unended = not ends[1] and not refers and line < count and kind(line + 1) != "prose"
                leads = ends[1] in (":", "：") or unended
                if not ends[1] and refers:
                    continue
                step = 1 if leads else -1 if opens else 0
                at = next((n for n in (line + step, line + 2 * step, line + 3 * step) if kind(n) != "blank"), 0)
                while 0 < at <= count and kind(at) == "output":
                    found.add(at)
                    at += step
        return frozenset(found)

    def _is_sought(self, line: int) -> bool:
        """Return whether all that sounds like trouble in a line is that a page or a file is not found on the web."""
        for one in self._told.prose:
            if sought := list(one.marks("sought", one.line_start(line), one.line_end(line))):
                return all(any(c.start <= at and end <= c.end for c in sought) for at, end in one.mentions(line))
        return False

    @cached_property
    def _is_notice(self) -> bool:
        """Whether a text tells readers how to handle a fault, and its writer reports none of their own."""
        told = self._told
        if told.ends_in_a_question or not any(one.whole_text("quoted") for one in told.prose):
            return False
        return not (
            told.says("unsolved", "present", "ask", "recurring", "shared")
            or any(kind == "command" or (kind == "prose" and _OWN.search(text)) for kind, text in told.lines())
        )

    @cached_property
    def _frame(self) -> Ruling | None:
        """The ruling of the text's first sentence on everything below it: "On my other machine, which is retired:"."""
        told = self._told
        head = next((line for line, kind in enumerate(told.segments.kinds, 1) if kind != "blank"), 0)
        text = told.text(head).rstrip()
        if told.segments.kind(head) != "prose" or not (text.endswith((":", "：")) or told.has("points", head)):
            return None
        if told.says("present", "unsolved", "recurring", "shared", "now"):
            return None
        if any(True for one in told.prose for _ in one.mentions(head)):
            return None  # it is a message itself
        ruling = self._of_lead(head)
        if ruling is None or ruling.status not in ("hypothetical", "elsewhere"):
            return None
        return replace(ruling, weak=False) if told.says("well", "works") else ruling

    def _are_its_words(self, one: Observation) -> bool:
        """Return whether a fault is only named in a command: one that searches for it, or one that prints none of
        it.
        """
        run = self._told.segments.run_of(one.line or 0)
        if run is not None and prints_files(run.command):
            return True
        if kind_of(one) == "noted":
            return run is not None and bool(_SEARCHES.search(run.command))
        return kind_of(one) in ("complaint", "error") and one.last_line == one.line

    def _of_line(self, line: int) -> Ruling | None:
        """Judge a line as a whole: it holds now if one of its sentences asserts it."""
        ruling = self._told.ruling_on(line)
        if ruling is not None and ruling.status == "negated":
            return ruling
        if self._told.says("unsolved", "present", line=line):
            return None
        return Ruling("negated", "the line says that everything works") if self._told.is_well_at(line) else ruling

    def _led_in(self, line: int) -> Ruling | None:
        """Return the ruling of the sentence that introduces this line's block of output."""
        head = self._told.lead_of(line)
        if head is None:
            return None
        if head not in self._leads:
            self._leads[head] = self._of_lead(head)
        return self._leads[head]

    def _of_lead(self, head: int) -> Ruling | None:
        if self._told.says("unsolved", line=head):
            return None
        text = self._told.text(head).rstrip()
        heads = self._told.segments.kind(head) != "prose"  # a list
        pointing = self._told.place_of("points", head)
        leads = heads or text.endswith((":", "：")) or text[-1:].isalnum() or pointing is not None
        own = bool(_OWN.search(text)) or self._told.has_begun(head)
        for ruling in self._told.rulings_on(head, pointing):
            if ruling.status == "negated":  # "Things that I ruled out:" before a list; before output it denies nothing
                if self._heads_a_list(head):
                    return ruling
            elif ruling.status == "past":
                return ruling if leads else replace(ruling, weak=True)
            elif leads and not (own and ruling.status == "quoted"):
                return ruling
        return None

    def _heads_a_list(self, head: int) -> bool:
        segments = self._told.segments
        below = next((line for line in range(head + 1, head + 4) if segments.kind(line) != "blank"), 0)
        return segments.kind(below) == "prose" and self._told.is_item(below)

    def _are_quotes_his(self) -> bool:
        """Return whether quoted faults are the writer's own: introduced as such, or the only ones in a text whose
        writer has a problem.
        """
        quoted = any(ruling is not None and ruling.status == "quoted" for ruling in self.first)
        if quoted and any(self._displays(line) for line in self._quotations):
            return True
        if self._told.says("solved", "works", "closed", "outcome"):
            return False
        if quoted and self._told.is_shared:
            return True
        if self._are_faults_quoted and self._told.ends_unsolved:
            return True
        alone = quoted and not any(ruling is None for ruling in self.first)
        return (alone and self._told.says("unsolved", "present", "ask")) or (quoted and self._leads_in_a_quote())

    def _are_marks_his(self, observations: Sequence[Observation]) -> bool:
        """Return whether messages in quotation marks are the only faults in the text, and its writer asks about
        them.
        """
        told = self._told
        if told.says("solved", "works", "closed", "outcome", "well") or any(
            one.whole_text("hypothetical") for one in told.prose
        ):
            return False
        faults = [one for one in observations if kind_of(one) in SURE and kind_of(one) != "raised"]
        faults = faults or [one for one in observations if kind_of(one) == "noted" and one.status != "present"]
        alone = bool(faults) and all(one.why == IN_MARKS and "quoted" in (one.status, one.doubt) for one in faults)
        asks = told.ends_in_a_question and not told.has_form
        return alone and (asks or told.says("unsolved", "present", "ask", "recurring", "shared"))

    def _leads_in_a_quote(self) -> bool:
        """Return whether a sentence right above a quotation says that a program prints it for the writer."""
        for line in self._quotations:
            above = self._above(line)
            said = {cue.kind for one in self._told.prose for cue in one.cues if one.line_at(cue.start) == above}
            asks = "shown" in said and self._told.says("ask", "unsolved")
            names = _NAMES_A_LOG.search(self._told.text(above)) is not None
            if not said & _NOT_HIS and (asks or names or said & {"present", "ask"}):
                return True
        return False

    def _displays(self, line: int) -> bool:
        """Return whether a sentence leads in a quotation of output as what the writer's program prints."""
        above = self._above(line)
        if not above or self._told.has("theirs", above):
            return False
        kinds = self._told.segments.kinds
        last = next((n for n in range(line, len(kinds)) if kinds[n] != "quote"), len(kinds))
        if all(is_prose(self._told.text(n)) for n in range(line, last + 1)):
            return False
        return self._told.text(above).rstrip().endswith((":", "：")) and self._told.has("displays", above)

    @property
    def _quotations(self) -> list[int]:
        """The first lines of the quotations."""
        kinds = self._told.segments.kinds
        return [n for n in range(2, len(kinds) + 1) if kinds[n - 1] == "quote" and kinds[n - 2] != "quote"]

    def _above(self, line: int) -> int:
        """Return the line of prose right above a quotation; 0 if there is none."""
        return next((n for n in (line - 1, line - 2) if n > 0 and self._told.segments.kind(n) == "prose"), 0)
