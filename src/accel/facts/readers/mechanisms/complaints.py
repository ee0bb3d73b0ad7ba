"""Recognise lines that look like errors, whatever they mean. If no finding quotes one, the verdict cannot be clear.

Certain   an exception's last line; a log level (ERROR, FATAL, "E0820 …]"); a kernel's complaint; a signal; a non-zero
          exit status
Else      words of failure ("cannot", "not found", "timed out", "hangs") in a line that no format reader has read;
          sentences from specs/language/complaints.yaml, also in other languages
Left out  lines in specs/language/benign.yaml, which look like errors but are not

Never certain: lines that only say that something else failed (specs/language/relays.yaml: "make: *** Error 2"),
an exception raised because of another, and a heading ("Error message:").
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.mechanisms.exceptions import exceptions_in
from accel.facts.readers.page import Page
from accel.model.dataclass import replace
from accel.model.observation import Complaint, Raised
from accel.text.pattern import Pattern, pattern

_LEVEL: Final = pattern(  # in prose "an error was" is a word, not a log level
    r"(?:^|[\s\[(|])(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE|ERRO)(?:$|[\s\]):|\[])"
    r"|^\s{0,20}[EF]\d{4} |^\s{0,20}[EF] (?:\S{1,200}\.(?:cc|cpp|cu|h|inc):\d|\S{1,30}/)|\bERROR:",
    exact_case=True,
)
_LEVEL_ANY_CASE: Final = pattern(
    r"^\s{0,20}(?:error|fatal|critical)\b|\*error\*|\[error\]|\bfatal(?: error)?\s{0,2}[:：]"
    r"|^\s{0,20}(?:\S{1,60}: )?(?:error|panic|exception)\s{0,2}[:：]"
)
_HEADING: Final = pattern(
    r"[\W_]{0,20}(?:(?:the|this|my|part|of|full) ){0,4}(?:errors?|exception|traceback|stderr)"
    r"(?: (?:messages?|infos?|logs?|output|text|stack|is|are|of|details?|was)){0,4}[\W_]{0,20}"
)
_KERNEL: Final = pattern(
    r"\bNVRM:(?! (?:loading|GPU at|GPU [0-9a-f:.]{1,20}: (?:UUID|RmInit)))|\bsegfault at\b|\bblocked for more than \d"
    r"|\bAER: |\bPCIe Bus Error\b|\bOut of memory: Killed|\boom-kill\b|\bHardware Error\b|\bACPI (?:BIOS )?Error\b"
    r"|\bSXid\b|\bXid\b[^\n]{0,40}?\d",
    signs="nvrm:|segfault|blocked for|aer: |bus error|killed|oom-kill|hardware error|acpi|xid",
)
_SIGNAL: Final = pattern(
    r"\bsegmentation fault\b|\bsegfault\b|\billegal instruction\b|\bbus error\b|\bkilled by signal\b|\bcore dumped\b"
    r"|\bSIG(?:SEGV|ABRT|BUS|ILL|KILL|FPE)\b|\bterminate called\b|^\s{0,20}killed\s{0,5}$|\bstack smashing\b"
    r"|\bdouble free\b",
    signs="fault|illegal instruction|bus error|killed|core dumped|sig|terminate called|stack smashing|double free",
)
_STATUS: Final = pattern(
    r"\bexit(?:ed)?(?: with)?(?: (?:code|status))?[ :=]{1,3}-?[1-9]\d{0,9}\b|\bnon-?zero exit (?:status|code)\b"
    r"|\bg?make(?:\[\d{1,2}\])?: \*{3} "
    r"|\bexitcode ?[:=] ?-?[1-9]|\bstatus=\d{1,3}/\w|\bHTTP(?: status)?[ /:]{1,3}[45]\d\d\b",
)
_HANG: Final = pattern(
    r"\b(?:hangs?|hung|hanging|freez(?:es|ing)|frozen|deadlocks?|stuck|crash(?:es|ed|ing)?)\b"
    r"|\bnever (?:returns|ends|finishes|starts)\b",
    signs="hang|hung|freez|frozen|deadlock|stuck|crash|never ",
)
_WORDS: Final = pattern(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|cannot|can'?t|can not|could ?n[o'’]t|unable to|no such|denied|refused|errors?"
    r"|timed? ?out|mismatch(?:es|ed)?|incompatible|undefined symbol|unsupported|invalid|corrupt(?:ed)?|missing"
    r"|unavailable|insufficient|out of memory|too (?:old|many|small|new|large)"
    r"|no (?:cuda|gpu|npu|tpu|hip|hpu|xpu|mlu|dcu|gcu)|wrong"
    r"|broken|lost)\b"
    r"|\bnot (?:found|compatible|permitted|compiled|usable|recogni[sz]ed|installed|initiali[sz]ed|able|available)\b"
    r"|\bdoes(?: not|n'?t) (?:exist|work|match|fit|support)\b|\bno \w{1,20} (?:available|found|detected)\b",
)
_NONE: Final = pattern(r"\b(?:0|no) (?:errors?|failures?|failed)\b|\berrors?[ :=]{1,3}0\b|\bsuccess")
_CHAINED: Final = pattern(r"(?:the above exception was the direct cause|during handling of the above)")
_BETWEEN: Final = 4  # lines between an exception and the traceback of the next
_LONGEST_LINE: Final = 4000
_MOST: Final = 80


def recognise(page: Page) -> Iterator[Complaint]:
    """Yield one complaint for each exception and each other line that looks like an error."""
    benign, relays, said = page.benign_lines, page.relay_lines, page.complaint_lines
    taken: set[int] = set(benign)
    found = 0
    for one, chained in _chains(page):
        lines = range(one.line or 0, (one.last_line or one.line or 0) + 1)
        if taken.intersection(lines):
            continue
        taken.update(lines)
        last = next((line for line in lines if line and one.exception in page.lines[line - 1]), None)
        sure = not chained and last not in relays
        yield Complaint(text=one.text, line=one.line, last_line=one.last_line, form="exception", certain=sure)
        found += 1
    for number, line in enumerate(page.lines, 1):
        if number in taken or not line.strip() or len(line) > _LONGEST_LINE:
            continue
        made = _complaint(page, number, line)
        if made is None and number in said and number not in page.read_lines and not _NONE.search(line):
            made = Complaint(form="words", certain=False, **page.on_line(number))
        if made is not None:
            if page.prose.segments.kind(number) == "prose":
                made = replace(made, grade="said")
            yield replace(made, certain=False) if number in relays else made
            found += 1
            if found >= _MOST:
                return


def _chains(page: Page) -> Iterator[tuple[Raised, bool]]:
    """Yield each exception, and whether the previous one caused it."""
    before = 0
    for one in exceptions_in(page):
        if one.line is None:
            continue
        above = page.lines[max(before, one.line - 1 - _BETWEEN) : one.line - 1]
        yield one, any(_CHAINED.search(line) for line in above)
        before = one.last_line or one.line


def _complaint(page: Page, number: int, line: str) -> Complaint | None:
    if _HEADING.fullmatch(line):
        return Complaint(form="words", certain=False, **page.on_line(number))
    for form, sign in _CERTAIN:
        if sign.search(line):
            return Complaint(form=form, **page.on_line(number))  # type: ignore[arg-type]
    if number in page.read_lines or _NONE.search(line):
        return None
    if _HANG.search(line):
        return Complaint(form="hang", certain=False, **page.on_line(number))
    if _WORDS.search(line):
        return Complaint(form="words", certain=False, **page.on_line(number))
    return None


_CERTAIN: Final[tuple[tuple[str, Pattern], ...]] = (
    ("kernel", _KERNEL),
    ("signal", _SIGNAL),
    ("status", _STATUS),
    ("level", _LEVEL),
    ("level", _LEVEL_ANY_CASE),
)
