"""A diagnosis for a person at midnight: what is broken first, why, what to type."""

from collections.abc import Iterable
from typing import Final

from accel.model.diagnosis import Between, Diagnosis, Finding, Kind, of_the_program
from accel.model.environment import Framework
from accel.model.snapshot import Snapshot
from accel.render.diagnosis_words import SURENESS, WHO, device_summary, outcome, place
from accel.render.gaps_text import gap_lines
from accel.render.page import Paragraph, print_page

_FIRST: Final[dict[Kind, str]] = {"mend": "do", "look": "look", "ask": "ask"}
_MARKS: Final = {"error": ("✗", "bold red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}


def print_diagnosis(diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool) -> None:
    """Print the diagnosis to stdout."""
    print_page(diagnosis_view(diagnosis, snapshot, verbose=verbose))


def diagnosis_view(diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool) -> Iterable[Paragraph]:
    """Yield what to print, top to bottom."""
    yield Paragraph((_headline(diagnosis, snapshot), "bold"))
    yield from (Paragraph((line, "dim")) for line in environment_lines(snapshot))
    yield from (Paragraph((line, "dim")) for line in _process_lines(snapshot))
    causes = [f for f in diagnosis.findings if f.severity != "info"]
    notes = [f for f in diagnosis.findings if f.severity == "info"]
    for finding in causes:
        yield Paragraph("")
        yield from _finding(finding)
    for open_ in diagnosis.between:
        yield Paragraph("")
        yield from _between(open_, causes)
    if notes:
        yield Paragraph("")
        for finding in notes:
            yield from _note(finding)
    if diagnosis.unexplained:
        yield Paragraph("")
        yield from _unexplained(diagnosis)
    if diagnosis.looks:
        yield Paragraph("")
        yield from _looks(diagnosis)
    yield from gap_lines(gap for gap in diagnosis.gaps if gap not in snapshot.host.gaps)
    yield Paragraph("")
    yield Paragraph(_summary(diagnosis))
    if verbose:
        yield from _rest(diagnosis)
    elif diagnosis.undecided and not (causes or diagnosis.looks or of_the_program(diagnosis.findings)):
        wants = dict.fromkeys(w for u in diagnosis.undecided for w in u.wants)
        yield Paragraph(f"Not known: {', '.join(list(wants)[:6])}{' …' if len(wants) > 6 else ''}")


def _headline(diagnosis: Diagnosis, snapshot: Snapshot) -> str:
    where = {"live": "this machine", "-": "stdin"}.get(snapshot.origin, snapshot.origin)
    host = snapshot.host
    system = ", ".join(v for v in (host.distribution or host.system, host.kernel) if v)
    devices = device_summary(diagnosis.devices)
    return "accel doctor · " + " · ".join(part for part in (where, system, devices) if part)


def environment_lines(snapshot: Snapshot) -> Iterable[str]:
    """Yield "Python 3.11.7 at /env/bin/python: torch 2.4.0 (CUDA 12.1), jax 0.4.34" of each that was read itself."""
    for environment in snapshot.environments:
        if environment.source is None and environment.complete and environment.python_executable:
            built = ", ".join(_with_build(f) for f in environment.frameworks) or "no framework"
            yield f"Python {environment.python_version} at {environment.python_executable}: {built}"


def _process_lines(snapshot: Snapshot) -> Iterable[str]:
    """Yield what introduces the process of --pid."""
    for one in snapshot.observations:
        if getattr(one, "fact", None) == "process-asked":
            yield one.text


def _with_build(framework: Framework) -> str:
    builds = {"cuda": "CUDA", "rocm": "ROCm", "cpu": "CPU", "npu": "NPU", "xpu": "XPU", "tpu": "TPU"}
    platform = builds.get(framework.built_for or "", framework.built_for or "")
    release = framework.cuda_version or framework.rocm_version
    build = " ".join(part for part in (platform, release) if part)
    return " ".join(part for part in (framework.name, framework.version, f"({build})" if build else "") if part)


def _finding(finding: Finding) -> Iterable[Paragraph]:
    mark, colour = _MARKS[finding.severity]
    yield Paragraph((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))
    if finding.detail:
        yield _row("why", finding.detail)
    if finding.devices or finding.parts:
        yield _row("where", ": ".join(", ".join(told) for told in (finding.parts, finding.devices) if told))
    for told in finding.compared:
        yield _row("other", told)
    if finding.explained_by:
        yield _row("after", f"follows from {', '.join(finding.explained_by)}; repair that first")
    for index, fact in enumerate(finding.evidence):
        yield _row("" if index else "seen", f"{fact.fact}: {fact.value}{place(fact)}")
    if finding.rests_on and finding.rests_on[0] in ("said", "implied"):
        yield _row("sure", SURENESS[finding.rests_on[0]])
    for told in finding.tried:
        yield _row("tried", f"in vain, as the text says: {told}")
    for index, remedy in enumerate(finding.remedies):
        text = _capital(remedy.text.removeprefix("Or ")) if index else remedy.text
        yield _row("or" if index else _FIRST[remedy.kind], text, (f"  ({WHO[remedy.action]})", "dim"))
        yield from _command(remedy.command)
    if finding.over is not None and finding.remedies:
        yield _row("over", finding.over.text)
        yield from _command(finding.over.command)
    yield from _request(finding)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _request(finding: Finding) -> Iterable[Paragraph]:
    """Show what to send, where the first steps are somebody else's and no command does them."""
    asked = next((remedy.request for remedy in finding.remedies if remedy.request), None)
    for index, line in enumerate((asked or "").splitlines()):
        yield _row("" if index else "send", line)


def _between(one: Between, findings: Iterable[Finding]) -> Iterable[Paragraph]:
    """Show causes that the facts do not tell apart, each with what would decide for it and what shows that.

    One that is found stands above already: then these are the others of its error.
    """
    found = {name for finding in findings for name in (finding.name, finding.family)}
    others = [candidate for candidate in one.candidates if candidate.name is None or candidate.name not in found]
    if not others:
        return
    title = f"Undecided between {len(others)} causes"
    if len(others) < len(one.candidates):
        title = f"If it is not that: {len(others)} other cause{'' if len(others) == 1 else 's'} of the same line"
    yield Paragraph((f"? {title}", "bold yellow"))
    yield _row("seen", f"{one.text}  (line {one.line})")
    shown: set[str | None] = set()
    for index, candidate in enumerate(others):
        told = " ".join(word for word in (candidate.code, candidate.name) if word)
        yield _row(
            "or" if index else "if",
            f"{candidate.decides}: {candidate.title}" if candidate.decides else candidate.title,
            (f"  [{told}]" if told else "", "dim"),
        )
        yield from _command(None if candidate.look in shown else candidate.look)
        shown.add(candidate.look)


def _unexplained(diagnosis: Diagnosis) -> Iterable[Paragraph]:
    """Show each line that nothing explains, and what would decide it, which is often the same for several."""
    yield Paragraph(("? Not explained by any finding", "bold yellow"))
    for one in diagnosis.unexplained:
        where = f"line {one.line}" if one.line is not None else "live"
        yield _row("seen", f"{one.text}  ({where}, {one.layer})")
        if one.known:
            yield _row("known", one.known)
    if diagnosis.verdict != "faults":
        wanted = dict.fromkeys(words for one in diagnosis.unexplained for words in one.give)
        yield _row("give", "To decide it, add to the text what these print:")
        for words in list(wanted)[:6]:
            yield from _command(words)


def _looks(diagnosis: Diagnosis) -> Iterable[Paragraph]:
    """Show what would decide, where the text tells too little."""
    yield Paragraph(("? This text tells too little to decide. Add to it what these print", "bold yellow"))
    for one in diagnosis.looks:
        yield _row("shows" if one.command else "add", one.text)
        yield from _command(one.command)


def _row(label: str, *spans: str | tuple[str, str]) -> Paragraph:
    return Paragraph(*spans, indent=4, label=label)


def _command(command: str | None) -> Iterable[Paragraph]:
    for line in (command or "").splitlines():
        yield Paragraph((line, "bold"), indent=13, whole=True)


def _note(finding: Finding) -> Iterable[Paragraph]:
    mark, colour = _MARKS["info"]
    yield Paragraph((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))
    for remedy in finding.remedies[:1]:
        yield Paragraph((remedy.text, "dim"), indent=4)
        yield from _command(remedy.command)


def _summary(diagnosis: Diagnosis) -> str:
    count = len(diagnosis.clear)
    rest = [f"{count} {'check' if count == 1 else 'checks'} clear"]
    if diagnosis.undecided:
        rest.append(f"{len(diagnosis.undecided)} undecided")
    if diagnosis.not_applicable:
        rest.append(f"{len(diagnosis.not_applicable)} not applicable")
    return f"{outcome(diagnosis)}. {', '.join(rest)}; each is named with --verbose."


def _rest(diagnosis: Diagnosis) -> Iterable[Paragraph]:
    rows: list[tuple[str, str, str]] = [("clear", c.name, "") for c in diagnosis.clear]
    rows += [("undecided", u.name, f"wants {', '.join(u.wants)}") for u in diagnosis.undecided]
    rows += [("not applicable", n.name, n.reason) for n in diagnosis.not_applicable]
    rows += [("gap", gap.fact, gap.reason) for gap in diagnosis.gaps]
    yield Paragraph("")
    for status, name, reason in rows:
        yield Paragraph(name, (f": {reason}" if reason else "", "dim"), label=status, room=14)
