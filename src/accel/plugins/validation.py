"""What a plugin gives that nobody has checked: what is not as the records say is left out, and said.

One field of another type would otherwise stop the table that lists everybody's devices.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.report import Report
from accel.model.to_builtins import plain

if TYPE_CHECKING:
    from accel.vendors.contract.backend import Reader
    from accel.vendors.contract.check import Check

MOST_DEVICES: Final = 1024
_LONGEST: Final = 4000  # characters of one text
_PLACE: Final = re.compile(r"`\$\.(\w+)")


def validate_reports(reports: Iterable[Report], backend: str) -> tuple[Report, ...]:
    """Return the reports with every field of its type, every number finite, every text and list of bounded length."""
    return tuple(_validate_report(report, backend) for report in reports)


def validate_device(device: Any, backend: str) -> tuple[Device | None, tuple[Gap, ...]]:
    """Return the device without the fields that are not as its record says, and what was left out.

    None for what is no device, or lacks its id, index or kind.
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
    """Return the record with each wrong field at its default, and (field, mistake) of each; None if it has none."""
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
    """Return the first field that holds neither text, number, record nor list."""
    for field in fields(record):
        try:
            plain(getattr(record, field.name))
        except (TypeError, RecursionError):
            return field.name
    return None


def _without(record: Any, field: "Field[Any]") -> Any:
    """Return the record with one field at its default; None if it has no default."""
    return None if field.default is MISSING else replace(record, **{field.name: field.default})


def _gap(fact: str, mistake: str, backend: str, device: str | None = None) -> Gap:
    reason = f"its plugin gave what cannot be used: {mistake}; see  accel plugins check {backend}"
    return Gap(fact=fact, reason=reason, device=device, backend=backend, source="plugin")


def validate_reader(reader: "Reader", plugin: str) -> "Reader":
    """Return the reader, its reports sound; what is no Reading, or never ends, ends in a TypeError."""

    @wraps(reader.read)
    def read(text: str) -> Iterator[Any]:
        for count, reading in enumerate(reader.read(text)):
            if count >= MOST_DEVICES:
                raise TypeError(f"it gave more than {MOST_DEVICES} readings")
            reports = tuple(each for each in reading.reports if isinstance(each, Report))
            if len(reports) < len(reading.reports):
                raise TypeError(f"it gave {reading.reports!r:.60}, where Reports are wanted")
            yield replace(reading, reports=validate_reports(reports, plugin))

    return replace(reader, read=read)


def validate_check(check: "Check") -> "Check":
    """Return the check; a problem that is not as its record says, or the 1025th, ends it in a TypeError."""

    @wraps(check.run)
    def run(facts: Any, specs: Any) -> Iterator[Any]:
        for count, problem in enumerate(check.run(facts, specs)):
            if count >= MOST_DEVICES:
                raise TypeError(f"it gave more than {MOST_DEVICES} problems")
            wrong = _mended(problem)[1] if is_dataclass(problem) else []
            if wrong:
                raise TypeError(f"it gave a problem whose {wrong[0][0]} is wrong: {wrong[0][1]}")
            yield problem

    return replace(check, run=run)
