"""Validates what plugins return: anything that does not match the records is left out, with a note.

Otherwise one field of the wrong type would break the table that lists everybody's devices.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypedDict

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.diagnosis import Severity
from accel.model.report import Report
from accel.model.to_builtins import plain
from accel.plugins.discovery import OWN_PLUGINS
from accel.vendors.contract.check import Layer

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Reader
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

MOST_DEVICES: Final = 1024
_MOST_TOLD: Final = 8
_LONGEST: Final = 4000  # characters of one text
_PLACE: Final = re.compile(r"`\$\.(\w+)")


def validate_reports(reports: Iterable[Report], backend: str) -> tuple[Report, ...]:
    """Return a backend's reports with all fields of the right type, all numbers finite, all texts and lists of limited
    length, and without devices that belong to another backend.
    """
    return tuple(_without_others(_validate_report(report, backend), backend) for report in reports)


def _without_others(report: Report, backend: str) -> Report:
    others = [d for d in report.devices if d.backend != backend or not d.id.startswith(f"{backend}:")]
    told = [f"{d.id!r:.40} of {d.backend!r:.40} is not its own device" for d in others[:_MOST_TOLD]]
    if report.backend != backend:
        told.append(f"a report of {report.backend!r:.40} is not its own")
    if not told:
        return report
    gaps = tuple(_gap("devices", mistake, backend) for mistake in told)
    left = {id(device) for device in others}
    own = tuple(device for device in report.devices if id(device) not in left)
    status = "partial" if report.status == "ok" else report.status
    return replace(report, backend=backend, status=status, devices=own, gaps=report.gaps + gaps)


def others_of(report: Report, plugin: str) -> set[str]:
    """Return the names of accel's own backends that the report of a third-party reader claims to be from."""
    named = {report.backend, *(d.backend for d in report.devices), *(d.id.partition(":")[0] for d in report.devices)}
    return (named & OWN_PLUGINS) - {plugin}


def validate_device(device: Any, backend: str) -> tuple[Device | None, tuple[Gap, ...]]:
    """Return the device without invalid fields, and what was left out.

    None if it is not a device, or lacks its id, index or kind.
    """
    if not isinstance(device, Device):
        return None, (_gap("devices", f"{device!r:.60} is no Device", backend),)
    made, wrong = _mended(device)
    if made is None:
        return None, (_gap("devices", f"{device.id!r:.40} was left out: {wrong[0][1]}", backend),)
    gaps = tuple(_gap(name, mistake, backend, str(made.id)) for name, mistake in wrong)
    return made, gaps


def _validate_report(report: Report, backend: str) -> Report:
    listed = report.devices if isinstance(report.devices, tuple | list) else ()
    gaps: list[Gap] = []
    if not isinstance(report.devices, tuple | list):
        gaps.append(_gap("devices", f"{report.devices!r:.60} is no list of devices", backend))
    if len(listed) > MOST_DEVICES:
        gaps.append(_gap("devices", f"it lists {len(listed)} devices; the first {MOST_DEVICES} are shown", backend))
    devices = []
    for device in listed[:MOST_DEVICES]:
        made, wrong = validate_device(device, backend)
        gaps += wrong
        if made is not None:
            devices.append(made)
    bare: Report | None
    bare, mistakes = _mended(replace(report, devices=()))
    gaps += [_gap(name, mistake, backend) for name, mistake in mistakes]
    if bare is None:
        bare = Report(backend=backend, source="probe", status="partial" if devices else "failed")
    status = "partial" if gaps and bare.status == "ok" else bare.status
    return replace(bare, status=status, devices=tuple(devices), gaps=bare.gaps + tuple(gaps))


def _mended(record: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return the record with invalid fields set to their defaults, and (field, mistake) for each; None if a field
    has none.
    """
    import msgspec

    wrong: list[tuple[str, str]] = []
    own = {field.name: field for field in fields(record)}
    for name, mistake in _unbounded(record):
        wrong.append((name, mistake))
        record = _without(record, own[name])
        if record is None:
            return None, wrong
    for _ in own:
        try:
            return msgspec.convert(plain(record), type(record)), wrong
        except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
            mistake = " ".join(str(error).split())[:160]
            place = _PLACE.search(mistake)
        wanted = place[1] if place and place[1] in own else _not_plain(record)
        wrong.append((wanted or "report", mistake))
        record = _without(record, own[wanted]) if wanted else None
        if record is None:
            return None, wrong
    return None, wrong


def _unbounded(record: Any) -> Iterable[tuple[str, str]]:
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, str) and len(value) > _LONGEST:
            yield field.name, f"a text of {len(value):,} characters"
        elif isinstance(value, float) and not math.isfinite(value):
            yield field.name, f"{value} is no amount"
        elif isinstance(value, tuple | list) and len(value) > MOST_DEVICES:
            yield field.name, f"a list of {len(value):,} items"


def _not_plain(record: Any) -> str | None:
    """Return the first field that is not a text, number, record or list."""
    for field in fields(record):
        try:
            plain(getattr(record, field.name))
        except (TypeError, RecursionError):
            return field.name
    return None


def _without(record: Any, field: "Field[Any]") -> Any:
    """Return the record with one field set to its default; None if it has no default."""
    return None if field.default is MISSING else replace(record, **{field.name: field.default})


def _gap(fact: str, mistake: str, backend: str, device: str | None = None) -> Gap:
    reason = f"its plugin gave what cannot be used: {mistake}; see  accel plugins check {backend}"
    return Gap(fact=fact, reason=reason, device=device, backend=backend, source="plugin")


class _CheckFields(TypedDict):
    code: str
    name: str
    layer: Layer
    severity: Severity
    family: str | None
    reads: tuple[str, ...]
    needs: tuple[str, ...]
    asks: tuple[str, ...] | None
    requires: tuple[str, ...]
    explained_by: tuple[str, ...]
    last_resort: bool


class _ReaderFields(TypedDict):
    name: str
    signs: tuple[str, ...]


class _RuleFields(TypedDict):
    name: str
    gives: dict[str, str]
    triggers: tuple[str, ...]


_FIELDS: Final[dict[str, Any]] = {"check": _CheckFields, "reader": _ReaderFields, "rule": _RuleFields}


def mistake_of(kind: str, offered: Any) -> str | None:
    """Return what is wrong with the attributes of a reader, check or rule; None if nothing is."""
    import msgspec

    fields = _FIELDS[kind]
    try:
        msgspec.convert({name: plain(getattr(offered, name)) for name in sorted(fields.__required_keys__)}, fields)
    except (msgspec.ValidationError, AttributeError, TypeError, ValueError, RecursionError) as error:
        return " ".join(str(error).split())[:160]
    return None


def validate_reader(reader: "Reader", plugin: str, *, may_speak_for_others: bool = False) -> "Reader":
    """Return the reader with its reports validated; if it yields anything but a Reading, or never ends, it raises
    TypeError.

    may_speak_for_others  it may report on accel's own backends
    """

    @wraps(reader.read)
    def read(text: str) -> Iterator[Any]:
        others: set[str] = set()
        for count, reading in enumerate(reader.read(text)):
            if count >= MOST_DEVICES:
                raise TypeError(f"it gave more than {MOST_DEVICES} readings")
            reports = tuple(each for each in reading.reports if isinstance(each, Report))
            if len(reports) < len(reading.reports):
                raise TypeError(f"it returned {reading.reports!r:.60} instead of Reports")
            reports = tuple(_validate_report(report, plugin) for report in reports)
            if not may_speak_for_others:
                others.update(*(others_of(report, plugin) for report in reports))
                reports = tuple(report for report in reports if not others_of(report, plugin))
            yield replace(reading, reports=reports)
        if others:
            raise TypeError(f"it gave reports of {', '.join(sorted(others))}, which accel's own readers give")

    return replace(reader, read=read)


def validate_check(check: "Check") -> "Check":
    """Return the check; an invalid problem, or the 1025th, ends it with a TypeError."""

    @wraps(check.run)
    def run(facts: Any, specs: Any) -> Iterator[Any]:
        for count, problem in enumerate(check.run(facts, specs)):
            if count >= MOST_DEVICES:
                raise TypeError(f"it gave more than {MOST_DEVICES} problems")
            wrong = _mended(problem)[1] if is_dataclass(problem) else []
            if wrong:
                raise TypeError(f"it returned a problem whose {wrong[0][0]} is wrong: {wrong[0][1]}")
            yield problem

    return replace(check, run=run)


def validate_rule(rule: "Rule") -> "Rule":
    """Return the rule; a fact that it does not declare, or the 1025th, ends it with a TypeError."""

    @wraps(rule.run)
    def run(seen: Any, specs: Any) -> Iterator[Any]:
        for count, fact in enumerate(rule.run(seen, specs)):
            if count >= MOST_DEVICES:
                raise TypeError(f"it gave more than {MOST_DEVICES} facts")
            if getattr(fact, "name", None) not in rule.gives:
                raise TypeError(f"it gave {fact!r:.60}, which is not among the facts that it states")
            yield fact

    return replace(rule, run=run)
