"""Lines that look like errors but that no finding quotes, with what is known about them and what would decide."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from accel.diagnose.askable import askable, subjects_of
from accel.facts.infer import observations_of
from accel.facts.questions import Facts
from accel.facts.rules.program_error import names_accelerator
from accel.model.dataclass import replace
from accel.model.diagnosis import AmbiguousCauses, Evidence, Finding, Unexplained, of_the_program
from accel.model.observation import (
    Command,
    Complaint,
    Conflict,
    ErrorSeen,
    Missing,
    Noted,
    Observation,
    Placed,
    share_a_line,
)
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import LAYERS

_MOST: Final = 12
_NEAR: Final = 2  # lines around an error that may contain a known one
_OUTPUT: Final = 12  # lines around an explained error that belong to the same output
_EVENT: Final = 6  # lines in which a kernel module reports one event
_OF_DEVICE: Final = pattern(r"^(?:\S{1,40} ){1,3}(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: ")
_ENDS: Final = ("status", "signal")  # forms of lines that say how a process ended
_TELLING: Final = 11  # characters of a message that is known again in another line
_TIMES: Final = pattern(r"\d[\d:.,TZ+-]{5,60}", exact_case=True)
_NUMBERS: Final = pattern(r"\d{1,20}", exact_case=True)
_CODE: Final = pattern(r"\b(?:error|code|status)\W{0,3}-?\d")  # another error, whatever its source
_PROGRAM: Final = pattern(r"\b[a-z]{2,20}[_-][a-z_-]{4,40}")
_CODED: Final = pattern(r"\bS?Xid\b")


def unexplained(
    facts: Facts,
    specs: Specs,
    findings: Iterable[Finding],
    explained: Iterable[Placed] = (),
    left_open: Iterable[AmbiguousCauses] = (),
    looked: bool = False,
    powershell: bool | None = None,
) -> tuple[Unexplained, ...]:
    """Return the complaints that no finding quotes, limited to the most certain, in the order of the text.

    explained  errors whose cause is named by a finding
    left_open  errors whose causes are shown
    powershell  on Windows; None: as the text shows
    looked     the commands of the vendors' tools are asked for elsewhere
    """
    observations = observations_of(facts.snapshot)
    complaints = [one for one in observations if isinstance(one, Complaint)]
    if not complaints:
        return ()
    findings = tuple(findings)
    quoted = [evidence for finding in findings for evidence in finding.evidence if evidence.line is not None]
    texts = [evidence.value for finding in findings for evidence in finding.evidence if evidence.line is None]
    events = _coded_like(quoted, observations)
    left = [
        one
        for one in complaints
        if not (
            _is_quoted(one, quoted, texts)
            or _leads_in(one, quoted)
            or any(share_a_line(one, event) for event in events)
        )
    ]
    if of_the_program(findings):  # a person's words about it, too, are about the program's error
        left = _not_the_programs(left, [one for one in complaints if one not in left], quoted, specs)
    elif any(finding.severity != "info" for finding in findings):
        explained = tuple(explained)
        left = [
            one
            for one in left
            if one.certain
            and not any(share_a_line(one, other) for other in explained)
            and not any(_is_of_its_event(one, other) for other in quoted)
            and not _only_frames(one, observations, quoted)
            and not _follows(one, observations, quoted)
        ]
    else:
        notes = [[one for one in finding.evidence if one.line is not None] for finding in findings]
        certain = [
            one
            for one in left
            if _may_be_an_accelerators(one, observations, specs) and not any(_is_of_note(one, note) for note in notes)
        ]
        left = _shown_rather_than_said(left, certain)
    about = subjects_of(facts, specs) | {device.backend for device in facts.devices}
    found: dict[str, Unexplained] = {}
    typed: dict[str, str | None] = {}
    open_ = tuple(left_open)
    left = [one for one in left if not any(_is_of(one, other) for other in open_)]
    for one in _whole(left):
        if len(found) == _MOST:
            break
        if shape(one.text) not in found:
            shown = _shown(one, observations, specs)
            anywhere, of_makers = specs.hints.asks(shown.layer, about)
            rows = anywhere if looked else (*of_makers, *anywhere)
            given = tuple(_given(rows, facts, specs, powershell, typed))
            found[shape(one.text)] = replace(shown, give=given)
    return tuple(found.values())


def _is_of(one: Complaint, left_open: AmbiguousCauses) -> bool:
    """Return whether a line is an error whose causes are shown, repeats it, is a person's report of it, or is in its
    output.
    """
    same = shape(one.text) == shape(left_open.text) or one.text in left_open.text
    near = one.line is not None and left_open.line is not None and abs(one.line - left_open.line) <= _OUTPUT
    return same or near or (not one.certain and not _CODE.search(one.text))


def _given(
    rows: Iterable[Mapping[str, str]],
    facts: Facts,
    specs: Specs,
    powershell: bool | None,
    typed_before: dict[str, str | None],
) -> Iterator[str]:
    """Yield what to add to the text: commands in the form for this machine, and words.

    typed_before  the commands already requested for other errors
    """
    from accel.remedies.render import looked_at_here  # needed only where something is left unexplained

    for row in rows:
        command = askable(row.get("command"), facts, specs)
        if command is not None and command not in typed_before:
            typed_before[command] = looked_at_here(command, facts, specs, powershell)
        from accel.diagnose.answered import unanswered

        typed = typed_before[command] if command is not None else unanswered(row.get("what", ""), facts, specs)
        if typed is not None:
            yield typed


def shape(text: str) -> str:
    """Return a line without times and long numbers, to recognise repetitions; codes are kept."""
    return _TIMES.sub("0", text)


def _whole(complaints: Iterable[Complaint]) -> Iterator[Complaint]:
    """Join the lines of one kernel message; a line with a number starts a new message."""
    whole: Complaint | None = None
    for one in complaints:
        words = one.text.partition(" ")[2]
        if whole is not None and _goes_on(whole, one) and not any(sign.isdecimal() for sign in words):
            whole = replace(whole, text=f"{whole.text} {words}", last_line=one.last_line or one.line)
            continue
        if whole is not None:
            yield whole
        whole = one
    if whole is not None:
        yield whole


def _goes_on(whole: Complaint, one: Complaint) -> bool:
    last = whole.last_line or whole.line
    same = whole.form == one.form == "kernel" and whole.text.partition(" ")[0] == one.text.partition(" ")[0]
    return same and last is not None and one.line == last + 1


def _is_quoted(one: Complaint, quoted: Iterable[Evidence], texts: list[str]) -> bool:
    if any(share_a_line(one, evidence) for evidence in quoted):
        return True
    return any(text[:60] in one.text or one.text[:60] in text for text in texts if len(text) > 8)


def _coded_like(quoted: Sequence[Evidence], observations: Iterable[Observation]) -> Sequence[Noted]:
    """Return the events with the code of one that a finding quotes: of many such lines it quotes a few."""
    coded = [(one, one.fact, code) for one in observations if isinstance(one, Noted) and (code := _code(one))]
    known = {(fact, code) for one, fact, code in coded if any(share_a_line(one, evidence) for evidence in quoted)}
    return [one for one, fact, code in coded if (fact, code) in known]


def _code(event: Noted) -> str | None:
    return dict(event.values).get("code")


def _leads_in(one: Complaint, quoted: Iterable[Evidence]) -> bool:
    """Return whether a line only announces the output below it, which a finding quotes: "I get this error:"."""
    if one.line is None or not one.text.rstrip(" `*").endswith((":", "：")):
        return False
    last = one.last_line or one.line
    return any(other.line is not None and last < other.line <= last + _OUTPUT for other in quoted)


def _not_the_programs(
    left: list[Complaint], known: list[Complaint], quoted: Sequence[Evidence], specs: Specs
) -> list[Complaint]:
    """Return the complaints that the program's own error may not explain.

    Its message is repeated by other threads and in titles. If the text shows no other error, a person's words of
    trouble are about this one.
    """
    messages = [evidence.value.partition(": ")[2] for evidence in quoted]
    shapes = {_NUMBERS.sub("0", one.text) for one in known}
    shown = [
        one
        for one in left
        if not (
            _is_about_it(one, quoted, specs)
            or _repeats(one.text, messages)
            or _NUMBERS.sub("0", one.text) in shapes
            or any(len(one.text) > _TELLING and one.text in other.text for other in known)
        )
    ]
    return shown if any(one.certain or one.grade != "said" or _CODE.search(one.text) for one in shown) else []


def _is_about_it(one: Complaint, quoted: Iterable[Evidence], specs: Specs) -> bool:
    """Return whether words of trouble are only about the program: a person's question, or without naming an
    accelerator. A log line at the level of errors, in the output that a finding quotes, counts as words.
    """
    logged = one.form == "level" and any(_is_in_its_output(one, other) for other in quoted)
    if one.certain and not logged:
        return False
    asks = one.grade == "said" and one.text.rstrip().endswith(("?", "？"))
    return asks or not names_accelerator(one.text, specs)


def _may_be_an_accelerators(one: Complaint, observations: Iterable[Observation], specs: Specs) -> bool:
    """Return whether an accelerator may be the cause of what a line complains of: the line names one or its software,
    holds a known error, or is no mere choice of words. A crash, a hang and a log line can have any cause.
    """
    if one.certain or one.form != "words":
        return True
    known = (other for other in observations if isinstance(other, ErrorSeen | Missing | Conflict))
    return names_accelerator(one.text, specs) or any(share_a_line(one, other) for other in known)


def _shown_rather_than_said(every: Iterable[Complaint], left: list[Complaint]) -> list[Complaint]:
    """Return the errors that a text shows, if a person's words about an accelerator are about them: those left, or
    the lines of a driver, which begin with a device's address. Otherwise the words themselves.
    """
    printed = [one for one in left if one.grade != "said"]
    if printed or not left:
        return printed
    return [one for one in every if one.grade != "said" and _OF_DEVICE.search(one.text)] or left


def _is_in_its_output(one: Complaint, quoted: Evidence) -> bool:
    return one.line is not None and quoted.line is not None and abs(one.line - quoted.line) <= _OUTPUT


def _repeats(text: str, messages: Iterable[str]) -> bool:
    """Return whether a line contains the message of an exception that a finding quotes."""
    return any(len(message) > _TELLING and message in text for message in messages)


def _is_of_its_event(one: Complaint, quoted: Evidence) -> bool:
    """Return whether a kernel line is next to a quoted one of the same module: both report the same event.

    A line with a code of its own (Xid, SXid) is a separate event.
    """
    if one.form != "kernel" or one.line is None or quoted.line is None or _CODED.search(one.text):
        return False
    speaker = _speaker(one.text)
    return abs(one.line - quoted.line) <= _EVENT and bool(speaker) and speaker == _speaker(quoted.value)


def _follows(one: Complaint, observations: Iterable[Observation], quoted: Iterable[Evidence]) -> bool:
    """Return whether a line comes shortly after an error that a finding quotes, in the output of the same command, and
    has no known error of its own: it then says how the program ended. A process's exit code or signal may also be
    reported above the error, and belongs to no other one.
    """
    line = one.line
    typed = [other.line for other in observations if isinstance(other, Command) and other.line is not None]
    if line is not None and one.form in _ENDS:
        near = (other.line for other in quoted if other.line is not None and abs(other.line - line) <= _OUTPUT)
        return any(not any(min(line, at) < command <= max(line, at) for command in typed) for at in near)
    above = [other.line for other in quoted if line and other.line and other.line < line <= other.line + _OUTPUT]
    if line is None or not above or one.form in ("kernel", "words") or _CODE.search(one.text):
        return False
    own = (other for other in observations if isinstance(other, ErrorSeen | Missing | Conflict))
    return not any(share_a_line(one, other) for other in own) and not any(max(above) < at <= line for at in typed)


def _is_of_note(one: Complaint, note: Sequence[Evidence]) -> bool:
    """Return whether a line is between lines that one finding quotes, or names in a person's words the program that
    such a line names: "fabricmanager-start fails".
    """
    if one.form == "words" and any(name in other.value for name in _PROGRAM.findall(one.text) for other in note):
        return True
    lines = [other.line or 0 for other in note]
    at = one.line or 0
    return any(at - _EVENT <= line < at for line in lines) and any(at < line <= at + _EVENT for line in lines)


def _only_frames(one: Complaint, observations: Iterable[Observation], quoted: Iterable[Evidence]) -> bool:
    """Return whether a log line says nothing known, next to an error that a finding quotes."""
    if one.form != "level":
        return False
    known = [other for other in observations if isinstance(other, ErrorSeen | Missing | Conflict)]
    if any(share_a_line(one, other) for other in known):
        return False
    return any(_stands_near(one, other) and any(share_a_line(other, e) for e in quoted) for other in known)


def _speaker(text: str) -> str | None:
    """Return the module that logged a kernel line: "NVRM:" for "kernel: NVRM: GPU 0000:01:00.0: …"."""
    words = (word for word in text.split()[:6] if word != "kernel:" and word[:1].isalpha())
    return next(words, None)


def _shown(one: Complaint, observations: Iterable[Observation], specs: Specs) -> Unexplained:
    near = [other for other in observations if other is not one and _stands_near(one, other)]
    near.sort(key=lambda other: _is_anybodys(other, specs))
    layer, known = None, None
    for other in near:
        if isinstance(other, ErrorSeen):
            errors = specs.errors
            layer = layer or (None if _is_anybodys(other, specs) else errors.layer(other.domain, other.code))
            meaning = errors.meaning(other.domain, other.code)
            known = known or (f"{errors.title(other.domain)} error {other.code}: {meaning}" if meaning else None)
        elif isinstance(other, Missing):
            layer = layer or specs.components.layer(other.component) or specs.components.layer(other.by_component)
            if other.component:
                known = known or f"{other.name} belongs to {specs.components.title(other.component)}"
        elif isinstance(other, Conflict):
            layer = layer or specs.components.layer(other.component)
            known = known or f"a version conflict of {specs.components.title(other.component)}"
    layer = layer or ("driver" if _OF_DEVICE.search(one.text) else _layer_by_words(one.text, specs))
    return Unexplained(line=one.line, text=one.text[:400], layer=layer, known=known)


def _is_anybodys(one: Observation, specs: Specs) -> bool:
    """Return whether any program can report this error of the operating system, which is the least informative."""
    return isinstance(one, ErrorSeen) and specs.errors.layer(one.domain, one.code) == "application"


def _stands_near(one: Complaint, other: Observation) -> bool:
    if one.line is None or other.line is None:
        return False
    return one.line - _NEAR <= other.line <= (one.last_line or one.line) + _NEAR


def _layer_by_words(text: str, specs: Specs) -> str:
    """Return the lowest layer that the line mentions; "application" if none."""
    words = specs.hints.layer_words
    lower = text.lower()
    return next((layer for layer in LAYERS if any(word in lower for word in words.get(layer, ()))), LAYERS[-1])
