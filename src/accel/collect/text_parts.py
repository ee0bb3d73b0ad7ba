"""The machines, runs and environments that one text distinguishes, each with its own facts.

If a part does not state a fact, it has what parts of its kind share (specs/language/parts.yaml): two environments of
one machine share its devices, driver and system; two runs share the devices. No other fact of one part applies to
another.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from accel.collect.live import apply_masks
from accel.collect.said_devices import said_reports
from accel.collect.understanding import (
    Understood,
    environments_of,
    host_of,
    reports_of,
    understood,
    variables_of,
    with_typed,
)
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.merge import filled
from accel.model.observation import Command, Conflict, Experiment, Installed, Missing, Observation, Offered, Raised
from accel.model.readings import without_changing
from accel.model.report import Driver, Report
from accel.model.snapshot import Part
from accel.plugins.registry import Registry
from accel.text.bounds import Bounded
from accel.text.clean import without_prefixes
from accel.text.parts import MOST_PARTS, TextPart, labels_of, parts_of
from accel.text.segments import Segments

_OF_NO_PART: Final = (Command, Experiment)  # a command that enters a part is typed outside it
_MOST_COST: Final = 400_000  # of all parts with what they share, in characters: each is read once more
_OF_A_LINE: Final = 20  # of a blank line that stands for one of another part
_OF_AN_ENVIRONMENT: Final = (Raised, Missing, Conflict, Installed, Offered)


def parts_in(name: str, text: Bounded, registry: Registry, segments: Segments) -> tuple[tuple[Part, ...], list[Gap]]:
    """Return the parts of a text that still has its prefixes, () if it has only one; and a gap if there are too many.

    segments  of its lines
    """
    words: Mapping[str, Any] | None = registry.specs.table("language/parts")
    if words is None:
        return (), []
    try:
        return _parts_in(name, text, registry, segments, words)
    except KeyError as missing:  # a user's own table may lack what accel's has
        reason = f"specs/language/parts has no {missing}; see  accel specs validate FOLDER"
        return (), [Gap(fact=name, reason=reason, source="specs")]


def _parts_in(
    name: str, text: Bounded, registry: Registry, segments: Segments, words: Mapping[str, Any]
) -> tuple[tuple[Part, ...], list[Gap]]:
    gaps: list[Gap] = []
    without: frozenset[tuple[str, str]] = frozenset()
    for _ in words["kinds"]:  # what is no part of one kind may tell something of another
        told = parts_of(text.text, words, without)
        if len(told) <= 1:
            break
        if len(told) > MOST_PARTS or sum(_cost(one.text or "") for one in told) > _MOST_COST:
            reason = f"its {len(told)} parts were read together, not separately. Pass one at a time."
            gaps.append(Gap(fact=name, reason=reason, source=name))
            break
        read = [understood(replace(text, text=without_prefixes(one.text or "")), registry, segments) for one in told]
        silent = _silent(told, read, text)
        if not silent:
            parts = [_part(one, seen, text, registry) for one, seen in zip(told, read, strict=True)]
            return _with_shared(parts, words, registry), gaps
        without |= silent
    return tuple(Part(says=one.says, lines=_ranges(one.lines, text), apart=False) for one in labels_of(text.text)), gaps


def _cost(text: str) -> int:
    return len(text) + _OF_A_LINE * text.count("\n")


def _silent(told: Sequence[TextPart], read: Sequence[Understood], text: Bounded) -> frozenset[tuple[str, str]]:
    """Return the (kind, key) of parts without any facts: their lines belong to all parts."""
    common = [reading for _, reading in read[0].readings if all(reading in _readings(one) for one in read[1:])]
    named = dict.fromkeys(key for part in told for key in part.keys)
    heard: set[tuple[str, str]] = set()
    for part, seen in zip(told, read, strict=True):
        own = frozenset(text.number(line) for line in part.lines)
        told_here = [one for one in seen.observations if one.line in own]
        readings = [reading for reading in _readings(seen) if reading not in common]
        for kind, key in part.keys:
            if kind == "environment":
                packages = any(e.frameworks or e.packages for r in readings if (e := r.environment) is not None)
                tells = packages or any(isinstance(one, _OF_AN_ENVIRONMENT) for one in told_here)
            else:
                tells = bool(readings) or any(not isinstance(one, _OF_NO_PART) for one in told_here)
            if tells:
                heard.add((kind, key))
    return frozenset(named) - heard


def _readings(one: Understood) -> list[Any]:
    return [reading for _, reading in one.readings]


def _part(one: TextPart, seen: Understood, text: Bounded, registry: Registry) -> Part:
    reports = reports_of(seen.readings)
    reports += said_reports(seen.observations, reports, registry.backend, registry.specs)
    return Part(
        says=one.says,
        kinds=one.keys,
        lines=_ranges(one.lines, text),
        host=host_of(seen.readings),
        environments=tuple(with_typed(environments_of(seen.readings), seen.observations)),
        observations=seen.observations,
        reports=tuple(reports),
    )


def _ranges(lines: Iterable[int], text: Bounded) -> tuple[tuple[int, int], ...]:
    """Return consecutive lines as (first, last), numbered in the whole text."""
    found: list[tuple[int, int]] = []
    for line in sorted(text.number(one) or one for one in lines):
        if found and line <= found[-1][1] + 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return tuple(found)


def _with_shared(parts: Sequence[Part], words: Mapping[str, Any], registry: Registry) -> tuple[Part, ...]:
    """Return the parts with the facts that they share with others, and with their own variables' masks applied."""
    shares = {row["name"]: frozenset(row["shares"]) for row in words["kinds"]}
    whole = []
    for part in parts:
        host, reports = part.host, list(part.reports)
        for other in parts:
            unlike = {kind for kind, _ in {*part.kinds} ^ {*other.kinds}}
            if other is part or not unlike:
                continue
            shared = frozenset.intersection(*(shares[kind] for kind in unlike))
            if "host" in shared:
                host = filled(host, other.host)
            if "devices" in shared:
                reports += _borrowed(other.reports, reports, "driver" in shared)
        masked = apply_masks(reports, registry, variables_of(part.environments))
        whole.append(replace(part, host=host, reports=masked))
    return tuple(whole)


def _borrowed(theirs: Iterable[Report], own: Sequence[Report], driver: bool) -> list[Report]:
    """Return what others' reports say about devices that a part does not list; driver: include their driver."""
    listed = {report.backend for report in own if report.devices}
    versed = {report.backend for report in own if report.driver is not None}
    found = []
    for report in theirs:
        known: Driver | None = report.driver if driver and report.backend not in versed else None
        devices = tuple(
            without_changing(device)
            if driver
            else replace(without_changing(device), driver_version=None, health="unknown")
            for device in (report.devices if report.backend not in listed else ())
        )
        if known is not None or devices:
            bare: tuple[Observation, ...] = ()
            found.append(
                replace(
                    report,
                    devices=devices,
                    driver=known,
                    observations=bare,
                    links=(),
                    linked=(),
                    peers=(),
                    domains=(),
                    gaps=(),
                )
            )
    return found
