"""A diagnosis for people: what is wrong, worst first, with the evidence, what to type, and how to verify the fix.

    1 error, 1 warning and 1 consequence · this machine · Ubuntu 22.04.4 LTS, 5.15.0-105-generic · 8 × NVIDIA H100

    ✗ nvidia:3 could not remap a bad memory row  [NV024 gpu-row-remap-failed]
      evidence     nvidia:3 remap_failed: yes
      fix          Take the GPU out of use, …  (needs service or replacement)
                   sudo nvidia-bug-report.sh
      verify       Remapping Failure Occurred is No.
                   nvidia-smi -q -d ROW_REMAPPER

Without --verbose only the essentials are shown: two lines of evidence, the first remedy and one alternative; a look
only if no remedy has a command that changes something.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.diagnosis_words import NO_FAULT, TOO_LITTLE, device_summary, outcome
from accel.apps.render.finding_text import Left, finding_view, notes_view
from accel.apps.render.page import Paragraph, print_page
from accel.apps.render.questions_text import mentions_view, question_in_short, questions_view
from accel.apps.render.units import plural
from accel.model.device_range import device_range
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.environment import Framework
from accel.model.observation import Noted
from accel.model.snapshot import Snapshot, is_empty
from accel.specs import Specs

_NO_DEVICE: Final = "No accelerator found"
_NO_FAULT_IN_TEXT: Final = "No accelerator fault found in this text"
_NONE_REPORTED: Final = "No accelerator fault in this text, which shows too little to check the machine"
_MAY_BE_OVER: Final = "Undecided: the text mentions a fault that may be over"
_SYSTEMS: Final = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
_IN_FULL: Final = 4  # findings; those after them show only the title and the fix


def print_diagnosis(
    diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool, ticket: bool = False, specs: Specs | None = None
) -> None:
    """Print the diagnosis to stdout."""
    print_page(diagnosis_view(diagnosis, snapshot, verbose=verbose, ticket=ticket, specs=specs))


def diagnosis_view(
    diagnosis: Diagnosis, snapshot: Snapshot, *, verbose: bool, ticket: bool = False, specs: Specs | None = None
) -> Iterator[Paragraph]:
    """Yield what to print, from top to bottom.

    ticket  include the text to send, if someone else has to act
    specs   determines which links belong to a fabric; None: links are left out
    """
    live, left = snapshot.origin == "live", Left()
    faults = [finding for finding in diagnosis.findings if finding.severity != "info"]
    roots = {name for finding in faults for name in finding.explained_by}
    causes = [finding for finding in diagnosis.findings if finding.severity == "info" and finding.name in roots]
    notes = [finding for finding in diagnosis.findings if finding.severity == "info" and finding not in causes]
    yield from _head(diagnosis, snapshot, faults, specs)
    for number, finding in enumerate((*causes, *faults)):
        yield Paragraph("")
        alone = sum(device.kind != "cpu" for device in diagnosis.devices) == 1
        yield from finding_view(finding, left, verbose=verbose, short=number >= _IN_FULL, ticket=ticket, alone=alone)
    if verbose or not faults:
        yield from mentions_view(diagnosis.mentioned)
    yield from questions_view(diagnosis.open_questions, left, verbose=verbose, faults=faults, live=live)
    yield from notes_view(notes, left, shown=verbose or not faults, every=verbose)
    if verbose:
        yield from _checks(diagnosis)
    else:
        yield from _foot(left)


def _head(
    diagnosis: Diagnosis, snapshot: Snapshot, faults: Sequence[Finding], specs: Specs | None
) -> Iterator[Paragraph]:
    """Yield the one-sentence answer, and what it is about."""
    said, about = _answer(diagnosis, snapshot), " · ".join(_about(diagnosis, snapshot, named=bool(faults)))
    health = ""
    if not faults and said != _NO_DEVICE:
        from accel.apps.render.health_words import health_words

        health = health_words(diagnosis, snapshot, specs)
    if faults:
        yield Paragraph((" · ".join(part for part in (said, about) if part), "bold"))
        about = ""
    elif health and said in (NO_FAULT, _NO_FAULT_IN_TEXT):
        yield Paragraph((f"{said}: {health}", "bold"))
    else:
        yield Paragraph((f"{said}.", "bold"))
        yield from (Paragraph(words) for words in (health,) if words)
    if about:
        yield Paragraph((about, "dim"))
    yield from (Paragraph((line, "dim")) for line in environment_lines(snapshot))
    yield from (Paragraph((line, "dim")) for line in (*_process_lines(snapshot), *computed_lines(snapshot)))


def _answer(diagnosis: Diagnosis, snapshot: Snapshot) -> str:
    said = outcome(diagnosis)
    bare = snapshot.origin == "live" and all(device.kind == "cpu" for device in diagnosis.devices)
    if bare and said == NO_FAULT:
        return _NO_DEVICE
    if snapshot.origin == "live" or is_empty(snapshot):
        return said
    if said in (NO_FAULT, TOO_LITTLE) and any(one.status == "unclear" for one in diagnosis.mentioned):
        return _MAY_BE_OVER
    return {NO_FAULT: _NO_FAULT_IN_TEXT, TOO_LITTLE: _NONE_REPORTED}.get(said, said)


def _about(diagnosis: Diagnosis, snapshot: Snapshot, *, named: bool) -> Iterator[str]:
    """Yield the source of the facts, the system, and the devices. named: also if some are known to work."""
    live, host = snapshot.origin == "live", snapshot.host
    if live:
        yield "this machine"
    elif snapshot.origin != "-":
        names = [name.replace("\\", "/").rpartition("/")[2] or name for name in snapshot.origin.split(", ")]
        yield ", ".join(names) if len(names) < 4 else f"{len(names)} files"
    system = ", ".join(part for part in (host.distribution or _SYSTEMS.get(host.system or ""), host.kernel) if part)
    if system:
        yield system
    if named and (live or any(device.kind != "cpu" for device in diagnosis.devices)):
        yield device_summary(diagnosis.devices)


def environment_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield "Python 3.11.7 at /env/bin/python: torch 2.4.0 (CUDA 12.1), jax 0.4.34" for each one read directly."""
    for environment in snapshot.environments:
        if environment.source is None and environment.complete and environment.python_executable:
            built = ", ".join(_with_build(f) for f in environment.frameworks) or "no framework"
            yield f"Python {environment.python_version} at {environment.python_executable}: {built}"


def _process_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the lines that introduce the process of --pid."""
    for one in snapshot.observations:
        if getattr(one, "fact", None) == "process-asked":
            yield one.text


def computed_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield "torch 2.13.0+cpu and jax 0.10.2 computed rightly on cpu:0" for each set of devices."""
    places: dict[str, list[str]] = {}
    for one in snapshot.observations:
        if isinstance(one, Noted) and one.fact == "framework-computed":
            told = dict(one.values)
            name = " ".join(word for word in (told.get("framework"), told.get("version")) if word)
            places.setdefault(name, []).append(told.get("place", "a device"))
    names: dict[str, list[str]] = {}
    for name, devices in places.items():
        names.setdefault(device_range(devices) or ", ".join(devices), []).append(name)
    for where, several in names.items():
        listed = f"{', '.join(several[:-1])} and {several[-1]}" if several[1:] else several[0]
        yield f"{listed} computed rightly on {where}"


def _with_build(framework: Framework) -> str:
    builds = {"cuda": "CUDA", "rocm": "ROCm", "cpu": "CPU", "npu": "NPU", "xpu": "XPU", "tpu": "TPU"}
    platform = builds.get(framework.built_for or "", framework.built_for or "")
    release = framework.cuda_version or framework.rocm_version
    build = " ".join(part for part in (platform, release) if part)
    return " ".join(part for part in (framework.name, framework.version, f"({build})" if build else "") if part)


def _foot(left: Left) -> Iterator[Paragraph]:
    """Say what further options would show."""
    rows = (
        *((left.remedies, "alternative"), (left.looks, "check")),
        *((left.notes, "note"), (len(left.questions), "open question")),
    )
    counted = ", ".join(plural(number, noun) for number, noun in rows if number)
    if len(left.questions) == 1:
        counted += f": {question_in_short(left.questions[0])}"
    more = [f"{counted} (--verbose)"] if counted else []
    more += ["a ticket for the administrator (--ticket)"] if left.tickets else []
    if more:
        yield Paragraph("")
        yield Paragraph((f"More: {'; '.join(more)}", "dim"))


def _checks(diagnosis: Diagnosis) -> Iterator[Paragraph]:
    """List the outcome of each check, and each fact that could not be read."""
    rows: list[tuple[str, str, str]] = [("clear", c.name, "") for c in diagnosis.clear]
    rows += [("undecided", u.name, f"unknown: {', '.join(u.wants)}") for u in diagnosis.undecided]
    rows += [("not applicable", n.name, n.reason) for n in diagnosis.not_applicable]
    rows += [("not read", gap.fact, gap.reason) for gap in diagnosis.gaps]
    yield Paragraph("")
    for status, name, reason in rows:
        yield Paragraph(name, (f": {reason}" if reason else "", "dim"), label=status, room=14)
