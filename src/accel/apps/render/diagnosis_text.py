"""A diagnosis for a person: what is wrong, first the worst, on what evidence, what to type, and how to see it worked.

    2 errors, 1 warning. First: nvidia:3 could not remap a bad memory row.
    this machine · Ubuntu 22.04.4 LTS, 5.15.0-105-generic · 8 × NVIDIA H100 80GB HBM3

    ✗ nvidia:3 could not remap a bad memory row  [NV024 gpu-row-remap-failed]
      evidence     nvidia:3 remap_failed: yes
      fix          Take the GPU out of use, …  (needs service or replacement)
                   sudo nvidia-bug-report.sh
      verify       Remapping Failure Occurred is No.
                   nvidia-smi -q -d ROW_REMAPPER

Without --verbose only what decides is shown: two lines of evidence, the first remedy and one alternative.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Final

from accel.apps.render.diagnosis_words import NO_FAULT, SURENESS, WHO, device_summary, outcome, place
from accel.apps.render.health_words import health_words
from accel.apps.render.page import Paragraph, print_page
from accel.apps.render.units import plural
from accel.diagnose.open_questions import OpenQuestion, Topic, open_questions
from accel.model.device_range import device_range
from accel.model.diagnosis import Diagnosis, Evidence, Finding, Remedy
from accel.model.grade import GRADES

if TYPE_CHECKING:
    from accel.model.environment import Framework
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs

_NO_DEVICE: Final = "No accelerator found"
_MARKS: Final = {"error": ("✗", "bold red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}
_ROOM: Final = 11  # columns of a label: the longest is "alternative"
_INDENT: Final = 2
_MOST_EVIDENCE: Final = 2
_LONGEST_EVIDENCE: Final = 110
_STATEMENT: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")  # the name of a fact that rules read from a sentence
_REPEATED: Final = 60  # characters, by which a line is known again
_IN_FULL: Final = 4  # findings; of those after them only the title and the fix are shown
_MOST_QUESTIONS: Final = 3
_MOST_SENTENCES: Final = 4
_MOST_COMMANDS: Final = 2
_MOST_CAUSES: Final = 4


@dataclass(slots=True, kw_only=True)
class _Left:
    """What a short answer left out."""

    remedies: int = 0
    notes: int = 0
    questions: int = 0
    tickets: int = 0


def print_diagnosis(
    diagnosis: Diagnosis, snapshot: "Snapshot", *, verbose: bool, ticket: bool = False, specs: "Specs | None" = None
) -> None:
    """Print the diagnosis to stdout."""
    print_page(diagnosis_view(diagnosis, snapshot, verbose=verbose, ticket=ticket, specs=specs))


def diagnosis_view(
    diagnosis: Diagnosis, snapshot: "Snapshot", *, verbose: bool, ticket: bool = False, specs: "Specs | None" = None
) -> Iterator[Paragraph]:
    """Yield what to print, top to bottom.

    ticket  with the text to send, where somebody else has to act
    specs   tell which links are a fabric; None: nothing is said of links
    """
    live, left = snapshot.origin == "live", _Left()
    faults = [finding for finding in diagnosis.findings if finding.severity != "info"]
    notes = [finding for finding in diagnosis.findings if finding.severity == "info"]
    questions = open_questions(diagnosis, live=live)
    yield from _head(diagnosis, snapshot, faults, specs)
    for number, finding in enumerate(faults):
        yield Paragraph("")
        alone = sum(device.kind != "cpu" for device in diagnosis.devices) == 1
        yield from _finding(finding, left, verbose=verbose, short=number >= _IN_FULL, ticket=ticket, alone=alone)
    yield from _notes(notes, left, shown=verbose or not faults, every=verbose)
    yield from _questions(questions, left, verbose=verbose, at_fault=bool(faults))
    if verbose:
        yield from _checks(diagnosis)
    else:
        yield from _foot(left)


def _head(
    diagnosis: Diagnosis, snapshot: "Snapshot", faults: Sequence[Finding], specs: "Specs | None"
) -> Iterator[Paragraph]:
    """Yield the answer in a sentence, and what it is about."""
    said, about = _answer(diagnosis, snapshot), " · ".join(_about(diagnosis, snapshot, named=bool(faults)))
    health = "" if faults or said == _NO_DEVICE else health_words(diagnosis, snapshot, specs)
    if len(faults) == 1:
        yield Paragraph((" · ".join(part for part in (said, about) if part), "bold"))
        about = ""
    elif faults:
        yield Paragraph((f"{said}. First: {faults[0].title}.", "bold"))
    elif health and said == NO_FAULT:
        yield Paragraph((f"{said}: {health}", "bold"))
    else:
        yield Paragraph((f"{said}.", "bold"))
        yield from (Paragraph(words) for words in (health,) if words)
    if about:
        yield Paragraph((about, "dim"))
    yield from (Paragraph((line, "dim")) for line in environment_lines(snapshot))
    yield from (Paragraph((line, "dim")) for line in _process_lines(snapshot))


def _answer(diagnosis: Diagnosis, snapshot: "Snapshot") -> str:
    said = outcome(diagnosis)
    bare = snapshot.origin == "live" and all(device.kind == "cpu" for device in diagnosis.devices)
    return _NO_DEVICE if bare and said == NO_FAULT else said


def _about(diagnosis: Diagnosis, snapshot: "Snapshot", *, named: bool) -> Iterator[str]:
    """Yield where the facts are from, the system, and the devices. named: although some are known to work."""
    live, host = snapshot.origin == "live", snapshot.host
    if live:
        yield "this machine"
    elif snapshot.origin != "-":
        names = [PureWindowsPath(name).name or name for name in snapshot.origin.split(", ")]
        yield ", ".join(names) if len(names) < 4 else f"{len(names)} files"
    system = ", ".join(part for part in (host.distribution or host.system, host.kernel) if part)
    if system:
        yield system
    if named and (live or any(device.kind != "cpu" for device in diagnosis.devices)):
        yield device_summary(diagnosis.devices)


def environment_lines(snapshot: "Snapshot") -> Iterator[str]:
    """Yield "Python 3.11.7 at /env/bin/python: torch 2.4.0 (CUDA 12.1), jax 0.4.34" of each that was read itself."""
    for environment in snapshot.environments:
        if environment.source is None and environment.complete and environment.python_executable:
            built = ", ".join(_with_build(f) for f in environment.frameworks) or "no framework"
            yield f"Python {environment.python_version} at {environment.python_executable}: {built}"


def _process_lines(snapshot: "Snapshot") -> Iterator[str]:
    """Yield what introduces the process of --pid."""
    for one in snapshot.observations:
        if getattr(one, "fact", None) == "process-asked":
            yield one.text


def _with_build(framework: "Framework") -> str:
    builds = {"cuda": "CUDA", "rocm": "ROCm", "cpu": "CPU", "npu": "NPU", "xpu": "XPU", "tpu": "TPU"}
    platform = builds.get(framework.built_for or "", framework.built_for or "")
    release = framework.cuda_version or framework.rocm_version
    build = " ".join(part for part in (platform, release) if part)
    return " ".join(part for part in (framework.name, framework.version, f"({build})" if build else "") if part)


def _finding(
    finding: Finding, left: _Left, *, verbose: bool, short: bool, ticket: bool, alone: bool
) -> Iterator[Paragraph]:
    """Yield a fault. short: without what is said of it; alone: one accelerator is known, and needs no name."""
    yield _title(finding)
    if finding.explained_by:
        yield _row("problem", f"Follows from {', '.join(finding.explained_by)}: fix that first.")
    where = _where(finding, alone)
    if (finding.detail or where) and (verbose or not short):
        yield _row(
            "" if finding.explained_by else "problem",
            ". ".join(part.rstrip(".") for part in (where, finding.detail) if part) + ".",
        )
    yield from (_row("", sentence) for sentence in finding.compared)
    consequence = bool(finding.explained_by)
    yield from _evidence(finding, most=None if verbose else 1 if consequence or short else _MOST_EVIDENCE)
    if verbose:
        yield from _how_sure(finding)
    most = len(finding.remedies) if verbose else 0 if consequence else 1 if short else 2
    shown = _chosen(finding.remedies, most)
    left.remedies += len(finding.remedies) - len(shown)
    for number, remedy in enumerate(shown):
        text = remedy.text.removeprefix("Or ") if number else remedy.text
        label = "alternative" if number else "next" if remedy.kind == "look" else "fix"
        yield _row(label, text[:1].upper() + text[1:], (f"  ({WHO[remedy.action]})", "dim"))
        yield from _commands(remedy.command, None if verbose else _MOST_COMMANDS)
    if finding.over is not None and shown and (verbose or not short):
        yield _row("verify", finding.over.text)
        if finding.over.command is not None and finding.over.command not in finding.over.text:
            yield from _commands(finding.over.command, None)
    yield from _ticket(finding, left, shown=ticket)


def _title(finding: Finding) -> Paragraph:
    mark, colour = _MARKS[finding.severity]
    return Paragraph((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))


def _where(finding: Finding, alone: bool) -> str:
    """Return the machine or run of a text, and the devices if the title does not name them."""
    devices = device_range(finding.devices)
    unnamed = (
        devices
        and not alone
        and devices not in finding.title
        and not all(one in finding.title for one in finding.devices)
    )
    where = ": ".join(part for part in (", ".join(finding.parts), devices if unnamed else "") if part)
    return where[:1].upper() + where[1:] if finding.parts or not where else f"On {where}"


def _evidence(finding: Finding, *, most: int | None) -> Iterator[Paragraph]:
    """Show the surest lines; a reading is named, a line of a text has its words alone."""
    shown = finding.evidence if most is None else _best(finding.evidence, most)
    for number, fact in enumerate(shown):
        yield _row("" if number else "evidence", _fact(fact) if most is None else _short_fact(fact))


def _best(evidence: Sequence[Evidence], most: int) -> list[Evidence]:
    """Return the surest of the evidence, without what repeats a line or a part of it."""
    best: list[Evidence] = []
    for fact in sorted(evidence, key=_doubt):
        if not any(fact.value[:_REPEATED] in other.value or other.value[:_REPEATED] in fact.value for other in best):
            best.append(fact)
    return best[:most]


def _doubt(fact: Evidence) -> int:
    return GRADES.index(fact.grade) if fact.grade in GRADES else 0


def _fact(fact: Evidence) -> str:
    return f"{fact.fact}: {fact.value}{place(fact)}"


def _short_fact(fact: Evidence) -> str:
    value = " ".join(fact.value.split())
    cut = f"{value[: _LONGEST_EVIDENCE - 2].rstrip()} …" if len(value) > _LONGEST_EVIDENCE else value
    if fact.line is not None:
        return f"{cut}  (line {fact.line})"
    return f"{cut}{place(fact)}" if _STATEMENT.fullmatch(fact.fact) else f"{fact.fact}: {cut}{place(fact)}"


def _how_sure(finding: Finding) -> Iterator[Paragraph]:
    if finding.rests_on and finding.rests_on[0] in ("said", "implied"):
        yield _row("", f"This {SURENESS[finding.rests_on[0]]}.")
    for told in finding.tried:
        yield _row("", f"Already tried, without success: {told}")


def _chosen(remedies: Sequence[Remedy], most: int) -> tuple[Remedy, ...]:
    """Return the first remedies; as a second one rather what changes something than what only shows it."""
    if most != 2 or len(remedies) < 3:
        return tuple(remedies[:most])
    return (remedies[0], next((one for one in remedies[1:] if one.kind != "look"), remedies[1]))


def _ticket(finding: Finding, left: _Left, *, shown: bool) -> Iterator[Paragraph]:
    """Show what to send, where the first steps are somebody else's and no command does them."""
    request = next((remedy.request for remedy in finding.remedies if remedy.request), None)
    if request is None:
        return
    left.tickets += 1
    for number, line in enumerate(request.splitlines() if shown else ()):
        yield _row("" if number else "ticket", line)


def _row(label: str, *spans: str | tuple[str, str]) -> Paragraph:
    return Paragraph(*spans, indent=_INDENT, label=label, room=_ROOM)


def _commands(command: str | None, most: int | None) -> Iterator[Paragraph]:
    """Show commands as they are typed; of one for each of many devices the first ones, and how many more there are."""
    lines = (command or "").splitlines()
    shown = lines if most is None or len(lines) <= most + 1 else lines[:most]
    for line in shown:
        yield Paragraph((line, "bold"), indent=_INDENT + _ROOM + 2, whole=True)
    if len(shown) < len(lines):
        yield _row("", (f"and {len(lines) - len(shown)} more like it, for the other devices", "dim"))


def _notes(notes: Sequence[Finding], left: _Left, *, shown: bool, every: bool) -> Iterator[Paragraph]:
    """Show what is only noted. every: with all evidence."""
    if not shown:
        left.notes += len(notes)
        return
    if notes:
        yield Paragraph("")
    for finding in notes:
        yield _title(finding)
        if every or any(fact.line is not None for fact in finding.evidence):
            yield from _evidence(finding, most=None if every else 1)
        for remedy in finding.remedies[:1]:
            yield _row("next", remedy.text)
            yield from _commands(remedy.command, None)


def _questions(questions: Sequence[OpenQuestion], left: _Left, *, verbose: bool, at_fault: bool) -> Iterator[Paragraph]:
    """Show what is open: where a fault was found, only what accel could not do, for the fault comes first."""
    of: dict[Topic, list[OpenQuestion]] = {}
    for one in questions:
        of.setdefault(one.topic, []).append(one)
    asked, lacking, unread = (*of.get("cause", ()), *of.get("error", ())), of.get("text", []), of.get("machine", [])
    if at_fault and not verbose:
        left.questions += len(asked) + len(lacking)
        asked, lacking, unread = (), [], [one for one in unread if one.checks and one.settles]
    most = None if verbose else _MOST_QUESTIONS
    left.questions += len(asked) - len(asked[:most])
    for one in asked[:most]:
        yield Paragraph("")
        yield from _question(one, verbose=verbose)
    yield from _lacking(lacking, None if verbose else _MOST_QUESTIONS, left)
    yield from _sentences("Failed:", of.get("failure", []), verbose=verbose)
    yield from _sentences("Not read:", of.get("input", []), verbose=verbose)
    yield from _sentences("Not checked:", unread, verbose=verbose)


def _lacking(questions: Sequence[OpenQuestion], most: int | None, left: _Left) -> Iterator[Paragraph]:
    """Show what to add to a text: a line each, and the command that prints it."""
    if questions:
        yield Paragraph("")
        yield Paragraph(("To check more, add to the text:", "bold"))
    left.questions += len(questions) - len(questions[:most])
    for one in questions[:most]:
        yield Paragraph(one.unknown, indent=_INDENT)
        for command in one.settles:
            yield Paragraph((command, "bold"), indent=2 * _INDENT, whole=True)


def _sentences(title: str, questions: Sequence[OpenQuestion], *, verbose: bool) -> Iterator[Paragraph]:
    shown = questions if verbose else questions[:_MOST_SENTENCES]
    if questions:
        yield Paragraph("")
        yield Paragraph((title, "bold"))
    yield from (Paragraph(_sentence(one), indent=_INDENT) for one in shown)
    if len(shown) < len(questions):
        yield Paragraph((f"and {len(questions) - len(shown)} more: --verbose", "dim"), indent=_INDENT)


def _question(one: OpenQuestion, *, verbose: bool) -> Iterator[Paragraph]:
    yield Paragraph((f"? {one.unknown}", "bold yellow"))
    if one.text:
        yield _row("evidence", f"{one.text}  (line {one.line})" if one.line is not None else one.text)
    if one.why:
        yield _row("problem", one.why)
    for number, cause in enumerate(one.causes[: None if verbose else _MOST_CAUSES]):
        yield _row("" if number else "cause", cause[:1].upper() + cause[1:])
    commands = one.settles[: None if verbose else _MOST_COMMANDS]
    if commands:
        yield _row("next", "Run this, and add what it prints:" if len(commands) == 1 else "Add what these print:")
    for command in commands:
        yield from _commands(command, None)


def _sentence(one: OpenQuestion) -> str:
    """Return "Kernel log not readable as this user: 9 checks not run; run  sudo accel doctor"."""
    said = ": ".join(part for part in (one.unknown, one.why) if part)
    if one.checks:
        said += f"{';' if one.why else ':'} {plural(one.checks, 'check')} not run"
    return f"{said}; run  {one.settles[0]}" if one.settles else said


def _foot(left: _Left) -> Iterator[Paragraph]:
    """Say what the options would add."""
    rows = ((left.remedies, "alternative"), (left.notes, "note"), (left.questions, "open question"))
    counted = ", ".join(plural(number, noun) for number, noun in rows if number)
    more = [f"{counted} (--verbose)"] if counted else []
    more += ["a ticket for the administrator (--ticket)"] if left.tickets else []
    if more:
        yield Paragraph("")
        yield Paragraph((f"More: {'; '.join(more)}", "dim"))


def _checks(diagnosis: Diagnosis) -> Iterator[Paragraph]:
    """Name how each check ended, and each fact that could not be read."""
    rows: list[tuple[str, str, str]] = [("clear", c.name, "") for c in diagnosis.clear]
    rows += [("undecided", u.name, f"not known: {', '.join(u.wants)}") for u in diagnosis.undecided]
    rows += [("not applicable", n.name, n.reason) for n in diagnosis.not_applicable]
    rows += [("not read", gap.fact, gap.reason) for gap in diagnosis.gaps]
    yield Paragraph("")
    for status, name, reason in rows:
        yield Paragraph(name, (f": {reason}" if reason else "", "dim"), label=status, room=14)
