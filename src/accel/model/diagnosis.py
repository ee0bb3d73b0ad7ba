"""What the checks make of a snapshot."""

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
    """One fact that a finding rests on: what, its value as text, and where it was read.

    line, last_line   in the text, from 1; None on a live machine, or where it is spread over the text
    grade             "measured", "printed", "said" or "implied"; None: as sure as the source is
    """

    fact: str
    value: str
    source: str | None = None
    line: int | None = None
    last_line: int | None = None
    grade: Grade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What to do: words, and the exact command where there is one.

    action   what it touches, and so who may do it
    kind     "mend": it changes what is wrong; "look": it only shows what is so; "ask": somebody else does it
    request  where somebody else has to do it and no command does: the words to send them
    """

    text: str
    command: str | None = None
    action: Action = "env"
    kind: Kind = "mend"
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How one sees that a fault is over: what is then so, and the command that shows it, where one does."""

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault that a check found. devices are ids; empty when it is about the machine.

    is_cause      False for a consequence; explained_by then names the causing findings' checks
    rests_on      the grades of its evidence, the surest first
    over          how one sees that it is over
    tried         what the text says was tried in vain: such a remedy is left out
    cured         whether the text says that one of its remedies helped
    parts         where it was found, in a text of several machines, runs or environments: "on gpu01"; () everywhere
    compared      what another part tells, where the fault is not: "On gpu01 torch is 2.5.1+cu121, here 2.5.1+cpu."
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
    over: Proof | None = None
    tried: tuple[str, ...] = ()
    cured: bool = False
    rests_on: tuple[Grade, ...] = ()
    is_cause: bool = True
    explained_by: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One of several possible causes: what decides for it, and the command that shows it; None: not known.

    code, name  of the check that names it; None of a cause that no check names
    supports    what in the text speaks for it, each with its line
    remedy      what to do where this is the cause
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
    """What the facts leave open: one line of the text, and its possible causes, the likeliest first.

    problem   what is wrong, in a few words; None: the line says it
    command   the one command whose output tells most of the causes apart; None: no command does
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
    """What to look at where a text tells too little: what it tells, the command, the checks that it would decide.

    command None: what is wanted is no command's output
    """

    text: str
    command: str | None = None
    decides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A fault that a text mentions and that does not hold now.

    code, name, title   of the check that would find it
    status   "past", "negated", "quoted", "source", "expected", "hypothetical", "elsewhere" or "unclear": whether it
             holds is an open question
    why      what of the text says so; line: where the fault is mentioned, from 1
    """

    code: str
    name: str
    title: str
    status: Status
    why: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear:
    """A check that knew all it asked for and found nothing."""

    code: str
    name: str
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A check that could not be decided, and the facts it wants."""

    code: str
    name: str
    wants: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A check that has nothing to judge: what it is about is not here, or a fault that comes first was found."""

    code: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """A line that looks like an error and that no finding quotes.

    layer   where it most likely belongs; "application" if nothing tells
    known   what the tables know of it; None: nothing
    give    what to add to the text so that it can be decided
    """

    line: int | None
    text: str
    layer: str
    known: str | None = None
    give: tuple[str, ...] = ()


def of_the_program(findings: Iterable[Finding]) -> bool:
    """Whether a note quotes an error of the text which the program made itself, and nothing graver was found."""
    told = tuple(findings)
    return all(one.severity == "info" for one in told) and any(
        one.layer == "application" and any(evidence.line is not None for evidence in one.evidence) for one in told
    )


Topic = Literal["failure", "input", "cause", "error", "text", "machine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """Something that a diagnosis leaves open.

    topic     failure: of accel itself, a plugin, a reader, a check or a deadline was lost; input: a file was not read;
              cause: an error has several possible causes; error: nothing explains it; text: what a text lacks;
              machine: what was not checked or could not be read, grouped by its reason
    unknown   what, as a sentence without its full stop
    why       why it matters, or what is known of it
    lines     of the text, which raise it: their number, None on a live machine, and their words
    causes    what may be behind it, the likeliest first; with what would be so then, where that is known
    supports  of each of these causes, what in the text speaks for it; "" where nothing does
    outcomes  what each result of the first command in `settles` would mean, and what to do then
    settles   commands that would settle it, or what to add to the text in words
    checks    how many checks did not run because it is not known
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
    """What the checks made of a snapshot; findings are ordered: the lowest broken layer first.

    between       causes that the facts do not tell apart, with what would
    mentioned     faults that the text speaks of and that do not hold now
    parts         the machines, runs or environments that the text tells apart, as findings name them
    unexplained   what looks like an error and is quoted by no finding: with no fault found, the verdict is then
                  "undecided"
    looks         what would decide, where the verdict on a text is "undecided"
    open_questions  between, unexplained, looks, undecided and gaps as one list, in the order in which they matter
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    clear: tuple[Clear, ...] = ()
    between: tuple[AmbiguousCauses, ...] = ()
    unexplained: tuple[Unexplained, ...] = ()
    looks: tuple[Look, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
    devices: tuple[Device, ...] = ()
    gaps: tuple[Gap, ...] = ()
    parts: tuple[str, ...] = ()
    mentioned: tuple[Mention, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
