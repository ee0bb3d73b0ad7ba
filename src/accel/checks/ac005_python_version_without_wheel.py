"""No wheel of the wanted package for this Python."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.checks.said import quoted
from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel.resolver.remedies import install, machine_of, other_python

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.resolver import Target
    from accel.specs import Specs

_SAID: Final = ("no-wheel-for-python", "no-wheel-for-platform", "python-unlike-requirement", "wheel-not-supported")


@check(
    code="AC005",
    name="python-version-without-wheel",
    layer="framework",
    requires=("windows-specific",),
)
def python_version_without_wheel(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The wanted package has no wheel for this Python version (or for this Python on this platform).

    Why it matters   The installer says that it finds no version, without saying why.
    What to do       Make an environment with a Python that the package serves, or take a release that serves this one.
    Looks at         pip's, uv's, Poetry's and conda's messages; the Python version; the release table's Pythons
    Silent when      the index could not be reached; the version asked for carries a build (+cu118) that lies on another
                     index; the version asked for does not exist at all
    Source           the packages' lists of wheels, as cited in specs/frameworks; pip: resolution messages
    """
    applies(facts.event("index-unreachable") is None, "the package index could not be reached")
    wanted = "|".join((specs.table("frameworks/wheels") or {}).get("wanted", ())) or ".*"
    told = [e for e in facts.events(*_SAID) if _tells(e, facts, wanted)]
    unfound = [e for e in facts.events("no-version-found", "no-distribution-found") if _matches(wanted, e)]
    listed = {_name(e): e.value("versions") for e in unfound if e.value("versions") is not None}
    unfound = [e for e in unfound if _is_pythons_fault(e, listed.get(_name(e)), facts, specs)]
    events = (*told, *unfound)
    if not events:
        return
    name = _name(events[0]) or "the package"
    python = _python(facts, events)
    asked = next((e.value("requirement") for e in events if e.value("requirement")), None)
    what = f"{name}{asked}" if asked and asked.startswith("==") else name
    evidence = quoted(events)
    if facts.environment.python_version:
        evidence = (*evidence, Evidence(fact="Python", value=facts.environment.python_version))
    yield Problem(
        title=f"There is no wheel of {what} for {'Python ' + python if python else 'this Python'} on this platform",
        evidence=evidence,
        remedies=_remedies(facts, specs, name, asked, python),
    )


def _name(event: "Event") -> str:
    return (event.value("package") or "").lower().replace("_", "-")


def _matches(wanted: str, event: "Event") -> bool:
    return re.fullmatch(wanted, _name(event)) is not None


def _tells(event: "Event", facts: "Facts", wanted: str) -> bool:
    """Whether the sentence is about the Python: a wheel's tag may differ in the platform alone."""
    if event.name != "wheel-not-supported":
        return event.name != "python-unlike-requirement" or _matches(wanted, event) or "torch" in _name(event)
    tag = re.match(r"cp(\d)(\d+)", event.value("python") or "")
    python = facts.environment.python_version
    if tag is None or python is None:
        return True
    return python.split(".")[:2] != [tag[1], tag[2]] or "abi3" in (event.value("abi") or "")


def _is_pythons_fault(event: "Event", versions: str | None, facts: "Facts", specs: "Specs") -> bool:
    asked = re.fullmatch(r"===?(?P<version>[^+,]+)(?P<local>\+\S+)?", (event.value("requirement") or "").strip())
    names = [v.strip() for v in (versions or "").split(",") if v.strip() not in ("", "none")]
    if asked is None:
        return not names or versions is None
    if asked["local"] and (versions is None or names):
        plain = {v.split("+")[0] for v in names}
        return bool(plain) and asked["version"] not in plain and _exists(event, asked["version"], specs) is True
    if not names:
        return True
    if asked["version"] in {v.split("+")[0] for v in names}:
        return False
    return _exists(event, asked["version"], specs) is not False


def _exists(event: "Event", version: str, specs: "Specs") -> bool | None:
    """Whether the release was ever made; None for a package that the tables do not hold."""
    name = _name(event)
    if name not in ("torch", "tensorflow", "jax"):
        return None
    from packaging.version import InvalidVersion, Version

    try:
        newest = max((Version(r.version) for r in specs.frameworks(name)), default=None)
        wanted = Version(version)
    except InvalidVersion:
        return None
    if specs.framework(name, version) is not None:
        return True
    return None if newest is None or wanted <= newest else False


def _python(facts: "Facts", events: "tuple[Event, ...]") -> str | None:
    for event in events:
        said = event.value("python") if event.name != "wheel-not-supported" else None
        found = re.match(r"(?:cp)?(3)\.?(\d{1,2})", said or "")
        if found:
            return f"{found[1]}.{found[2]}"
    version = facts.environment.python_version
    return ".".join(version.split(".")[:2]) if version else None


def _remedies(facts: "Facts", specs: "Specs", name: str, asked: str | None, python: str | None) -> tuple[Remedy, ...]:
    machine = machine_of(facts, specs)
    machine = replace(machine, python=machine.python or python)
    exact = (asked or "").startswith("==")
    here = _other_release(facts, specs, name, machine)
    elsewhere = other_python(specs, name, asked, machine) if exact or here is None else None
    found = [remedy for remedy in (elsewhere, here) if remedy is not None]
    return tuple(found) or (
        Remedy(text="Make an environment with a Python version for which the package's list of files holds wheels."),
    )


def _other_release(facts: "Facts", specs: "Specs", name: str, machine: "Target") -> Remedy | None:
    if machine.python is None or not specs.frameworks(name):
        return None
    text = f"Keep Python {machine.python} and install a release that has wheels for it"
    found = install(facts, specs, name, text=text, on=machine, newest=True)
    return found if found.command is not None else None
