"""How a part of a text without the fault differs from the one with it: versions and names that the finding quotes.

    torch 2.3.1+cpu was found in the environment bad.  ->  "In the environment good, where it is not found, torch is
    2.3.1+cu121; here it is 2.3.1+cpu."
Only what the finding is about is compared: two machines differ in many ways that explain nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.snapshot import Part, Snapshot
from accel.text.pattern import pattern

_MOST: Final = 3
_DRIVER: Final = "the driver"
_DEVICE: Final = "the device"
_WORD: Final = pattern(r"[\w.+-]+")


def comparisons(finding: Finding, here: Part, others: Sequence[tuple[Part, Diagnosis]]) -> Iterator[str]:
    """Yield a sentence for each part without the fault that can be compared; others: those parts."""
    mine = _known(here)
    spoken = " ".join((finding.title, finding.detail or "", *(fact.value for fact in finding.evidence))).lower()
    words = {word.strip(".+-") for word in _WORD.findall(spoken)}
    for part, diagnosis in others:
        theirs = _known(part)
        unlike = [
            (what, theirs[what], value)
            for what, value in mine.items()
            if what in theirs
            and theirs[what] != value
            and (_belongs(what, finding) or _is_spoken_of(what, value, words, spoken))
        ][:_MOST]
        works = any(f.available for e in part.environments for f in e.frameworks)
        clear = finding.name in {one.name for one in diagnosis.clear}
        if unlike:
            where = f"{part.says[:1].upper()}{part.says[1:]}"
            told = " and ".join(f"{what} is {value}" for what, value, _ in unlike)
            instead = " and ".join(value for _, _, value in unlike)
            how = "where it works" if works else "where it is not found"
            yield f"{where}, {how}, {told}; {here.says} it is {instead}."
        elif works or clear:
            yield f"It {'works' if works else 'is not found'} {part.says}."


def _belongs(what: str, finding: Finding) -> bool:
    """Return whether a finding is about something, even if it does not quote it: the driver layer, or named devices."""
    return (what == _DRIVER and finding.layer == "driver") or (what == _DEVICE and bool(finding.devices))


def _is_spoken_of(what: str, value: str, words: set[str], spoken: str) -> bool:
    """Return whether a finding quotes the value, or the part of it that identifies a build."""
    if " " in value:
        return value.lower() in spoken
    if value.lower() in words:
        return True
    version, _, variant = value.lower().partition("+")
    return what.lower() in words and (version in words or (variant != "" and variant in words))


def _known(part: Part) -> dict[str, str]:
    """Return what can be compared, by what it is: "torch" -> "2.3.1+cpu"."""
    facts = Facts(Snapshot(environments=part.environments, reports=part.reports, host=part.host))
    found: dict[str, str] = {}
    for framework in facts.environment.frameworks:
        if framework.version:
            found[framework.name] = _with_variant(framework.version, framework.variant)
    for package in facts.environment.packages or ():
        if package.version:
            found.setdefault(package.name, _with_variant(package.version, package.variant))
    for backend in dict.fromkeys(report.backend for report in part.reports):
        driver = facts.driver(backend)
        if driver is not None and driver.version:
            found[_DRIVER] = driver.version
    names = dict.fromkeys(device.name for device in facts.accelerators if device.name)
    if names:
        found[_DEVICE] = ", ".join(names)
    if facts.environment.python_version:
        found["Python"] = facts.environment.python_version
    for name, value in facts.environment.variables or ():
        found[f"${name}"] = value or '""'
    return found


def _with_variant(version: str, variant: str | None) -> str:
    return f"{version}+{variant}" if variant and "+" not in version else version
