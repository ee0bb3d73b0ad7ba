"""The values returned are accel's records, with the declared types, and serialise to JSON."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from accel.kit.evidence import Answer, Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, wants
from accel.model.device import Device, Memory, Process
from accel.model.report import Report
from accel.model.to_builtins import plain

_CALLS = {"probe": "a list of Reports", "memory": "a Memory or None", "sample": "the devices",
          "visible": "the devices", "processes": "{device id: (Process, …) or None}"}  # fmt: skip
_LONGEST_TEXT = 4000


@rule("record-schema", "discover", "Everything it gives is a record of accel's, of the types that its fields say")
def record_schema(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    answers = [a for a in evidence.answers() if a.method in _CALLS and a.raised is None]
    for answer in answers:
        if answer.call == "probe in a fork":
            continue
        if answer.carried:
            yield fault("cannot-be-sent", answer=answer)
        elif answer.endless:
            yield fault("endless", answer=answer)
        elif not _fits(answer):
            yield fault("not-the-record", answer=answer, shown=_shown(answer.value), wanted=_CALLS[answer.method])
        else:
            for report, mistake in _mistakes(answer):
                yield fault("wrong-type", answer=answer, report=report, mistake=mistake)
    wants(answers, "no call of it returned")


@rule(
    "unbounded",
    "discover",
    "What it gives is of a bounded size: no text longer than 4000 characters, no list without end",
)
def unbounded(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    for kit_run in evidence.kit_runs:
        answer = kit_run.answer("probe")
        if answer and answer.endless:
            yield fault("endless", answer=answer)
        if answer and answer.carried and "MiB" in answer.carried:
            yield fault("too-large", answer=answer)
        for report in kit_run.reports():
            for place, text in _texts(plain(report)):
                if len(text) > _LONGEST_TEXT:
                    yield fault("text-too-long", place=place, report=report, length=len(text))
    wants(any(t.answer("probe") for t in evidence.kit_runs), "no probe of it returned")


@rule("json-round-trip", "discover", "What it gives comes back the same from JSON")
def json_round_trip(evidence: Evidence) -> Iterator[Fault]:
    import msgspec

    backend_of(evidence)
    seen = 0
    for kit_run in evidence.kit_runs:
        for report in kit_run.reports():
            for device in (d for d in report.devices if isinstance(d, Device)):
                seen += 1
                try:
                    again = msgspec.convert(json.loads(json.dumps(plain(device), allow_nan=False)), type(device))
                except (TypeError, ValueError, RecursionError) as error:
                    yield fault("not-json", device=device, report=report, reason=" ".join(str(error).split())[:160])
                    continue
                if again != device:
                    lost = [f.name for f in fields(device) if getattr(again, f.name) != getattr(device, f.name)]
                    yield fault("changed-by-json", lost=", ".join(lost), device=device, report=report)
    wants(seen, "it gave no device: record a machine that has one, see docs/conformance.md")


def _fits(answer: Answer) -> bool:
    value: Any = answer.value
    if answer.method == "probe":
        return isinstance(value, tuple) and all(isinstance(item, Report) for item in value)
    if answer.method == "memory":
        return value is None or isinstance(value, Memory)
    if answer.method == "processes":
        return isinstance(value, dict) and all(
            isinstance(key, str)
            and (row is None or (isinstance(row, tuple) and all(isinstance(p, Process) for p in row)))
            for key, row in value.items()
        )
    return isinstance(value, tuple) and all(isinstance(item, Device) for item in value)


def _mistakes(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield each field of a record whose value has another type than declared."""
    import msgspec

    value: Any = answer.value
    rows = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, tuple) else (value,))
    for key, record in rows:
        for item in _records(record):
            name = f"{type(item).__name__} {getattr(item, 'id', '') or getattr(item, 'source', '') or key}"
            try:
                msgspec.convert(_plain(item), type(item))
            except (msgspec.ValidationError, TypeError) as error:
                yield name, " ".join(str(error).split())[:200]


def _records(record: Any) -> Iterator[Any]:
    """Yield the record without its devices, then each device, so that each is compared with its own class."""
    if isinstance(record, Report):
        yield replace(record, devices=())
        if isinstance(record.devices, tuple | list):
            yield from (d for d in record.devices if isinstance(d, Device))
    elif is_dataclass(record):
        yield record


def _plain(item: Any) -> Any:
    try:
        return plain(item)
    except TypeError as error:
        raise TypeError(f"a field holds what is no text, number, record or list: {error}") from None


def _texts(value: Any, place: str = "a field") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, place)


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and value:
        other = next((item for item in value if not isinstance(item, Report | Device)), value[0])
        return f"a list with {other!r:.60}"
    return f"{value!r:.60}"
