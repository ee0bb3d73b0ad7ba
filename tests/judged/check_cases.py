"""Cases of checks as data: a YAML file for each check, named after it; a case is a machine and how it ends there.

    a-driver-of-470:
      text: |                                    # a pasted report; or records:
        …
      devices: [{backend: "nvidia", index: 0, temperature_celsius: 82}]
      drivers: {nvidia: {version: "470.86"}}
      frameworks: [{name: "torch", cuda_version: "12.1"}]      packages: {vllm: "0.9.0"}     complete: true
      variables: {CUDA_VISIBLE_DEVICES: "3"}                   toolkits: {cuda: "12.1"}      libraries: [{…}]
      facts: [{name: "xid", values: {code: "79"}, grade: "measured"}]      host: {wsl: true}
      live: true      taken_at: "2026-11-23T08:00:00Z"
      # live and complete: the packages' own requirements were read, too
      wiring: {ports: [{card: "mlx5_0", port: 1}]}       links: [{one: "nvidia:0", other: "nvidia:1", path: "NV18"}]
      gaps: [{fact: "nvmlInit", reason: "…", source: "probe"}]
      nodes: {gpu01: {facts: […]}, gpu02: {…}}   # saved snapshots that are given together: each a case of its own
      finds: "words of the title"                # and, of that finding:
      severity: "error"   cause: true   devices_found: ["nvidia:0"]   rests_on: "printed"
      says: "words anywhere in it"   command: "part of a command"   never: "what no command of it may hold"

    or one of   clear: true     undecided: "words of the fact wanted"     not_applicable: "words of the reason"
                silent: true    (no finding of this check; how it ends besides does not matter)
                mentions: "words of the title"      (the text speaks of the fault, and it does not hold now)

A test hands each case to `faults`, which says how the check ended otherwise than the case states.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec

from accel.collect.live import device_types
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.device import Device, Gap
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.environment import Environment, Framework, Library, Package, Toolkit
from accel.model.observation import Noted
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Part, Snapshot
from accel.model.wiring import Link, Wiring
from accel.plugins.registry import Registry
from accel.specs.store import parse
from accel.vendors.contract.check import Check

_HEADINGS: Final = ("Why it matters", "What to do", "Looks at", "Silent when", "Source")
_ENDS: Final = ("finds", "clear", "undecided", "not_applicable", "silent", "mentions")
GIVEN: Final = (
    *("text", "devices", "drivers", "frameworks", "packages", "complete", "variables", "toolkits", "libraries"),
    *("facts", "host", "live", "python", "gaps", "wiring", "links", "taken_at", "nodes"),
)
_OF_FINDING: Final = ("severity", "cause", "devices_found", "rests_on", "says", "command", "never")


def check_cases(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (check's name, case's name, case) of every file of a folder."""
    for path in sorted(folder.glob("*.yaml")):
        for name, case in (parse(str(path)) or {}).items():
            yield path.stem, name, case


def faults(check: str, case: Mapping[str, Any], registry: Registry, judged: Diagnosis | None = None) -> list[str]:
    """Return how a check ended otherwise than its case says; [] if as it says. judged: the case's diagnosis, if had."""
    unknown = set(case) - {*_ENDS, *GIVEN, *_OF_FINDING}
    ends = [end for end in _ENDS if end in case]
    if unknown or len(ends) != 1:
        return [f"expected one of {', '.join(_ENDS)} and known keys, got {', '.join(sorted(unknown)) or ends}"]
    diagnosis = judged
    if diagnosis is None:
        diagnosis = diagnose(snapshot_of(case, registry), registry.specs, registry.checks, registry.rules)
    broke = [f"{gap.fact}: {gap.reason}" for gap in diagnosis.gaps if " broke: " in gap.reason]
    found = [finding for finding in diagnosis.findings if finding.name == check]
    if ends[0] == "finds":
        return broke + _of_findings(case, found, diagnosis)
    if found:
        return [*broke, f"it found: {found[0].title}"]
    if ends[0] == "silent":
        return broke
    if ends[0] == "mentions":
        titles = [one.title for one in diagnosis.mentioned if one.name == check]
        return broke if any(case["mentions"] in title for title in titles) else [*broke, f"it mentions: {titles}"]
    wants = [want for one in diagnosis.undecided if one.name == check for want in one.wants]
    reasons = [one.reason for one in diagnosis.not_applicable if one.name == check]
    ended = f"undecided without {wants}" if wants else f"not applicable: {reasons}" if reasons else "clear"
    if ends[0] == "undecided" and not any(case["undecided"] in want for want in wants):
        broke.append(f"it ended {ended}")
    if ends[0] == "not_applicable" and not any(case["not_applicable"] in reason for reason in reasons):
        broke.append(f"it ended {ended}")
    if ends[0] == "clear" and check not in {one.name for one in diagnosis.clear}:
        broke.append(f"it ended {ended}")
    return broke


def page_faults(check: Check, folder: Path) -> list[str]:
    """Return what a check lacks: headings of its page; a case of it found, and one of it not found."""
    page = check.run.__doc__ or ""
    lacking = [f"its docstring has no {heading!r}" for heading in _HEADINGS if heading not in page]
    path = folder / f"{check.name}.yaml"
    if not path.exists():
        return [*lacking, f"there is no {path.name}"]
    ends = {end for case in (parse(str(path)) or {}).values() for end in case}
    if "finds" not in ends:
        lacking.append(f"{path.name} has no case that it finds")
    if not ends & {"clear", "undecided", "not_applicable", "silent"}:
        lacking.append(f"{path.name} has no case that it does not find")
    return lacking


def snapshot_of(case: Mapping[str, Any], registry: Registry) -> Snapshot:
    """Return the machine of a case."""
    given = Snapshot(origin="case")
    if "text" in case:
        given = read_texts([("report", case["text"])], registry)
    kinds = device_types(registry)
    backends = {device["backend"] for device in case.get("devices", ())} | set(case.get("drivers", {}))
    reports = tuple(
        Report(
            backend=backend,
            source="case",
            devices=tuple(_device(d, kinds) for d in case.get("devices", ()) if d["backend"] == backend),
            driver=Driver(**case["drivers"][backend]) if backend in case.get("drivers", {}) else None,
            links=tuple(Link(**link) for link in case.get("links", ()) if link["one"].startswith(f"{backend}:")),
        )
        for backend in sorted(backends)
    )
    facts = tuple(
        Noted(
            fact=fact["name"],
            text=fact.get("text", fact["name"]),
            values=tuple((key, str(value)) for key, value in fact.get("values", {}).items()),
            line=fact.get("line"),
            device=fact.get("device"),
            grade=fact.get("grade", "printed"),
        )
        for fact in case.get("facts", ())
    )
    environments = given.environments
    if any(
        key in case for key in ("frameworks", "packages", "variables", "toolkits", "libraries", "complete", "python")
    ):
        environments += (_environment(case),)
    return replace(
        given,
        origin="live" if case.get("live") else given.origin,
        taken_at=case.get("taken_at", given.taken_at),
        host=Host(**case["host"]) if "host" in case else given.host,
        environments=environments,
        reports=given.reports + reports,
        observations=given.observations + facts,
        wiring=msgspec.convert(case["wiring"], Wiring) if "wiring" in case else given.wiring,
        gaps=given.gaps + msgspec.convert(case.get("gaps", []), tuple[Gap, ...]),
        parts=tuple(_node(name, one or {}, registry) for name, one in case["nodes"].items())
        if "nodes" in case
        else given.parts,
    )


def _node(name: str, case: Mapping[str, Any], registry: Registry) -> Part:
    one = snapshot_of(case, registry)
    return Part(
        says=f"on {name}",
        kinds=(("machine", name),),
        host=replace(one.host, name=name),
        environments=one.environments,
        observations=one.observations,
        reports=one.reports,
    )


def _device(stated: Mapping[str, Any], kinds: Any) -> Device:
    kind = kinds.get(stated["backend"], Device)
    usual = {"id": f"{stated['backend']}:{stated.get('index', 0)}", "index": 0, "vendor": stated["backend"]}
    device: Device = msgspec.convert({**usual, "kind": "accelerator", **stated}, kind)
    return device


def _environment(case: Mapping[str, Any]) -> Environment:
    packages = None
    if "packages" in case:
        packages = tuple(_package(name, str(version)) for name, version in case["packages"].items())
    return Environment(
        python_version=case.get("python"),
        packages=packages,
        complete=case.get("complete", False),
        requirements_read=len(packages or ()) if case.get("live") and case.get("complete") else None,
        frameworks=msgspec.convert(case.get("frameworks", []), tuple[Framework, ...]),
        libraries=msgspec.convert(case.get("libraries", []), tuple[Library, ...]),
        toolkits=tuple(Toolkit(name=name, version=str(version)) for name, version in case.get("toolkits", {}).items()),
        variables=tuple(case["variables"].items()) if "variables" in case else None,
    )


def _package(name: str, version: str) -> Package:
    bare, _, local = version.partition("+")
    return Package(name=name, version=bare, variant=local or None)


def _of_findings(case: Mapping[str, Any], found: list[Finding], diagnosis: Diagnosis) -> list[str]:
    fitting = [finding for finding in found if case["finds"].lower() in finding.title.lower()]
    if not fitting:
        others = [finding.title for finding in found] or [f"{f.name}: {f.title}" for f in diagnosis.findings]
        return [f"no finding's title holds {case['finds']!r}; found: {others}"]
    first = fitting[0]
    commands = " ".join(remedy.command or "" for remedy in first.remedies)
    words = " ".join(
        [
            first.title,
            first.detail or "",
            *(e.value for e in first.evidence),
            *(r.text for r in first.remedies),
            commands,
        ]
    ).lower()
    wrong = []
    if first.severity != case.get("severity", first.severity):
        wrong.append(f"its severity is {first.severity}")
    if first.is_cause is not case.get("cause", first.is_cause):
        wrong.append(f"is_cause is {first.is_cause}; explained by {first.explained_by}")
    if list(first.devices) != case.get("devices_found", list(first.devices)):
        wrong.append(f"its devices are {list(first.devices)}")
    if "rests_on" in case and case["rests_on"] not in first.rests_on:
        wrong.append(f"it rests on {first.rests_on}")
    if case.get("says", "").lower() not in words:
        wrong.append(f"it does not say {case['says']!r}: {words}")
    if case.get("command", "") not in commands:
        wrong.append(f"its commands are {commands!r}")
    if "never" in case and case["never"] in commands:
        wrong.append(f"a command holds {case['never']!r}: {commands!r}")
    if not first.evidence:
        wrong.append("it has no evidence")
    return wrong
