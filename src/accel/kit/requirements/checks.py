"""Its checks find the fault they are written for, and nothing on a healthy machine."""

import re
from collections.abc import Iterator

from accel.kit.evidence import LIVE, Evidence, KitRun, SeenCheck, TextTrial
from accel.kit.requirement import Fault, fault, loaded, rule, wants
from accel.vendors.contract.check import LAYERS

_HEADINGS = ("Why it matters", "What to do", "Looks at", "Silent when", "Source")
_CODE = re.compile(r"[A-Z]{2}\d{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9.]+)*")


def _checks(evidence: Evidence) -> tuple[SeenCheck, ...]:
    checks = loaded(evidence).checks
    wants(
        checks, "it registers no check: write one that finds what goes wrong with this hardware (docs/add-a-check.md)"
    )
    return checks


@rule(
    "checks-never-raise",
    "diagnose",
    "Its checks end found, clear, undecided or skipped on every machine, the empty one too",
)
def checks_never_raise(evidence: Evidence) -> Iterator[Fault]:
    _checks(evidence)
    for ending in evidence.endings:
        if ending.call == "its checks":
            yield fault("check-does-not-return", where=ending.where, ending=ending)
    for seen in _judged(evidence):
        for code, sentence in seen.broken:
            yield fault(
                "check-raised",
                code=code,
                place=_place(seen),
                sentence=sentence.removesuffix("; please report it to its plugin"),
            )


@rule("checks-find", "diagnose", "Each check is shown finding its fault on a recorded machine or in a text")
def checks_find(evidence: Evidence) -> Iterator[Fault]:
    checks = _checks(evidence)
    found = {code for seen in _judged(evidence) if _recorded(seen) for code, _ in seen.findings or ()}
    never = [check for check in checks if check.code not in found]
    wants(
        evidence.recorded() or evidence.texts_expected,
        f"there is no recorded machine on which {', '.join(c.code for c in checks[:4])} could find anything",
    )
    for check in never:
        yield fault("check-never-finds", check=check)


@rule("checks-silent", "diagnose", "They find what is expected of each recording, and nothing on a healthy machine")
def checks_silent(evidence: Evidence) -> Iterator[Fault]:
    _checks(evidence)
    healthy = 0
    for seen in _judged(evidence):
        if not _recorded(seen):
            if seen.findings and isinstance(seen, KitRun) and not seen.machine and seen.situation != LIVE:
                codes = ", ".join(sorted({code for code, _ in seen.findings}))
                yield fault("check-finds-in-nothing", codes=codes, place=_place(seen))
            continue
        name = seen.machine if isinstance(seen, KitRun) else seen.name
        expected = (evidence.expected if isinstance(seen, KitRun) else evidence.texts_expected).get(name)
        if expected is None or expected.findings is None:
            continue
        healthy += not expected.findings
        given = set(seen.findings or ())
        for code, check in sorted(given):
            if not {code, check} & set(expected.findings):
                yield fault("check-not-expected", code=code, check=check, place=_place(seen))
        words = {word for pair in given for word in pair}
        for missing in (f for f in expected.findings if f not in words):
            yield fault("check-misses", missing=missing, place=_place(seen))
    wants(healthy, "no recording is said to be healthy: write  findings: []  in the expected.yaml of one that is")


@rule("check-codes", "diagnose", "Each check has a code and a name of its own")
def check_codes(evidence: Evidence) -> Iterator[Fault]:
    checks = _checks(evidence)
    codes = [check.code for check in checks]
    for check in checks:
        if check.taken_by:
            yield fault("check-code-taken", check=check)
        if codes.count(check.code) > 1:
            yield fault("check-code-twice", check=check)
        if not _CODE.fullmatch(check.code):
            yield fault("check-code-form", check=check)
        if not _NAME.fullmatch(check.name):
            yield fault("check-name-form", check=check)
        if check.layer not in LAYERS:
            yield fault("check-layer", check=check, layers=", ".join(LAYERS))


@rule("checks-explained", "diagnose", "Each check has its page, and each finding says what to do")
def checks_explained(evidence: Evidence) -> Iterator[Fault]:
    checks = _checks(evidence)
    for check in checks:
        missing = [heading for heading in _HEADINGS if heading not in check.page]
        if missing:
            yield fault("check-page-lacks", check=check, lacking=", ".join(missing))
    roots = {check.code for check in checks if check.explains}  # they may use fixes of another check
    for seen in _judged(evidence):
        for problem in seen.problems:
            if not problem.remedies and problem.code not in roots:
                yield fault("finding-without-remedy", problem=problem)
            if not problem.evidence:
                yield fault("finding-without-evidence", problem=problem)


def _judged(evidence: Evidence) -> Iterator[KitRun | TextTrial]:
    yield from (kit_run for kit_run in evidence.kit_runs if kit_run.findings is not None)
    yield from (text for text in evidence.texts if text.findings is not None)


def _recorded(seen: KitRun | TextTrial) -> bool:
    return isinstance(seen, TextTrial) or (bool(seen.machine) and seen.situation == "as recorded")


def _place(seen: KitRun | TextTrial) -> str:
    if isinstance(seen, TextTrial):
        return f"the text {seen.name!r}"
    if not seen.machine:
        return {"nothing here": "a machine that has nothing"}.get(seen.situation, seen.situation)
    return f"the machine {seen.machine!r}" + ("" if seen.situation == "as recorded" else f", {seen.situation}")
