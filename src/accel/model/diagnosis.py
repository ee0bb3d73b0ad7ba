"""What the checks conclude from a snapshot."""

from collections.abc import Iterable
from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap
from accel.model.grade import Grade, Status

Severity = Literal["info", "warning", "error"]
Action = Literal["app", "env", "admin", "reset", "reboot", "service"]
Kind = Literal["mend", "look", "ask"]
Verdict = Literal["clear", "faults", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One fact that a finding is based on: its name, its value as text, and where it was read.

    line, last_line   in the text, from 1; None on a live machine, or if it is spread over the text
    grade             "measured", "printed", "said" or "implied"; None: that of the source
    """

    fact: str
    value: str
    source: str | None = None
    line: int | None = None
    last_line: int | None = None
    grade: Grade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What to do: a sentence, and the exact command if there is one.

    action   what it changes, and therefore who may do it
    kind     "mend": it fixes the problem; "look": it only shows something; "ask": somebody else has to do it
    request  the text to send if somebody else has to do it and no command does
    """

    text: str
    command: str | None = None
    action: Action = "env"
    kind: Kind = "mend"
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How to verify that a fault is gone: what is then true, and the command that shows it, if there is one."""

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault that a check found. devices: their ids; empty if it concerns the machine.

    is_cause      False for a consequence; explained_by then names the checks whose findings cause it
    rests_on      the grades of its evidence, the most certain first
    verification  how to verify that it is gone
    attempts      what the text says was tried without success; such remedies are left out
    cured         whether the text says that one of its remedies helped
    parts         where it was found, in a text about several machines, runs or environments: "on gpu01"; () everywhere
    compared      what differs in a part without the fault: "On gpu01 torch is 2.5.1+cu121, here 2.5.1+cpu."
    """

    code: str
    name: str
    severity: Severity
    title: str
    detail: str | None = None
    family: str | None = None
    layer: str = "framework"
    devices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    verification: Proof | None = None
    attempts: tuple[str, ...] = ()
    cured: bool = False
    rests_on: tuple[Grade, ...] = ()
    is_cause: bool = True
    explained_by: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One of several possible causes: what would confirm it, and the command that shows that; None if unknown.

    code, name  of its check; None if no check is about this cause
    supports    what in the text supports it, each with its line
    remedy      what to do if this is the cause
    """

    code: str | None
    name: str | None
    title: str
    decides: str | None = None
    look: str | None = None
    supports: tuple[str, ...] = ()
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousCauses:
    """An error whose cause is not decided: one line of the text, and its possible causes, the most likely first.

    problem   what is wrong, in a few words; None: the line says it
    command   the one command whose output distinguishes most of the causes; None if there is none
    excluded  causes that the text rules out
    """

    line: int | None
    text: str
    candidates: tuple[Candidate, ...]
    problem: str | None = None
    command: str | None = None
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Output to ask for if a text says too little: what it would show, the command, and the checks that it would
    decide.

    command None: what is needed is not a command's output
    """

    text: str
    command: str | None = None
    decides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A fault that a text mentions but that is not present now.

    code, name, title   of the check that would find it
    status   "past", "negated", "quoted", "source", "expected", "hypothetical", "elsewhere"; or "unclear" if it is an
             open question whether the fault is present
    why      the words of the text that say so
    line     where the fault is mentioned, from 1
    """

    code: str
    name: str
    title: str
    status: Status
    why: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear:
    """A check that had everything it needs and found nothing."""

    code: str
    name: str
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A check that could not be decided, and the facts that it lacks."""

    code: str
    name: str
    wants: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A check with nothing to judge: what it is about is not present, or a fault that takes precedence was found."""

    code: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """A line that looks like an error and that no finding explains.

    layer   where it most likely belongs; "application" if nothing indicates another
    known   what the tables know about it; None: nothing
    give    what to add to the text so that it can be decided
    """

    line: int | None
    text: str
    layer: str
    known: str | None = None
    give: tuple[str, ...] = ()


def of_the_program(findings: Iterable[Finding]) -> bool:
    """Return whether the text's error was made by the program itself, and nothing more serious was found."""
    told = tuple(findings)
    return all(one.severity == "info" for one in told) and any(
        one.layer == "application" and any(evidence.line is not None for evidence in one.evidence) for one in told
    )


Topic = Literal["failure", "input", "cause", "error", "text", "machine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """Something that a diagnosis leaves open.

    topic     failure: accel itself, a plugin, a reader, a check or a deadline failed; input: a file was not read;
              cause: an error has several possible causes; error: nothing explains it; text: what a text lacks; machine:
              what was not checked or could not be read, grouped by the reason
    unknown   what is unknown, as a sentence without its full stop
    why       why it matters, or what is known about it
    lines     the lines of the text that raise it: number (None on a live machine) and words
    causes    possible causes, the most likely first, each with what would then be true if that is known
    supports  for each of these causes, what in the text supports it; "" if nothing does
    outcomes  what each result of the first command in `settles` would mean, and what to do then
    settles   commands that would answer it, or in words what to add to the text
    checks    how many checks did not run because of it
    """

    topic: Topic
    unknown: str
    why: str | None = None
    lines: tuple[tuple[int | None, str], ...] = ()
    causes: tuple[str, ...] = ()
    settles: tuple[str, ...] = ()
    checks: int = 0
    supports: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the checks conclude from a snapshot. Findings are ordered: the lowest broken layer first.

    ambiguous_causes  errors with several possible causes, and what would distinguish them
    mentioned     faults that the text mentions but that are not present now
    parts         the machines, runs or environments that the text distinguishes, by the names used in findings
    unexplained   lines that look like errors and that no finding explains: if no fault is found, the verdict is then
                  "undecided"
    requested_output  what would decide, if the verdict on a text is "undecided"
    open_questions  everything that is open, and gaps, as one list, the most important first
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    clear: tuple[Clear, ...] = ()
    ambiguous_causes: tuple[AmbiguousCauses, ...] = ()
    unexplained: tuple[Unexplained, ...] = ()
    requested_output: tuple[Look, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
    devices: tuple[Device, ...] = ()
    gaps: tuple[Gap, ...] = ()
    parts: tuple[str, ...] = ()
    mentioned: tuple[Mention, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
