"""Its recorded machines give the expected results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from accel.kit.evidence import Evidence, KitRun
from accel.kit.expected import Expected
from accel.kit.kit_run import AS_MASKED
from accel.kit.requirement import NO_MACHINES, Fault, fault, loaded, rule, unless, wants
from accel.model.device import Device
from accel.model.merge import merged_driver
from accel.model.to_builtins import plain


@rule("replay", "discover", "Its recorded machines give the devices and the driver that are expected of them")
def replay(evidence: Evidence) -> Iterator[Fault]:
    loading = loaded(evidence)
    for sentence in evidence.unusable:
        yield fault("recording-unusable", sentence=sentence)
    for place, said in (*evidence.expected.items(), *evidence.texts_expected.items()):
        for mistake in said.mistakes:
            yield fault("expected-unusable", place=place, mistake=mistake)
    unless("accel_backend" in loading.hooks, "it registers no backend")
    held = 0
    for kit_run in evidence.recorded():
        expected = evidence.expected.get(kit_run.machine)
        if expected is None or kit_run.answer("probe") is None:
            continue
        held += expected.devices is not None
        yield from _devices(kit_run, expected, f"the machine {kit_run.machine!r}")
        yield from _gaps(kit_run, expected)
    wants(held, NO_MACHINES)


def _devices(kit_run: KitRun, expected: Expected, place: str) -> Iterator[Fault]:
    devices = _masked(kit_run)
    yield from compared(devices, expected.devices or (), place)
    if expected.devices is not None and len(devices) != len(expected.devices):
        names = ", ".join(d.id for d in devices[:8]) or "none"
        yield fault("machine-device-count", place=place, count=len(devices), names=names, wanted=len(expected.devices))
    if expected.driver:
        driver = plain(merged_driver(kit_run.reports())) or {}
        for fact, value in expected.driver.items():
            if driver.get(fact) != value:
                yield fault("machine-driver-differs", place=place, fact=fact, said=driver.get(fact), value=value)


def _masked(kit_run: KitRun) -> Sequence[Device]:
    """Return the devices that the masks in the machine's environment leave visible."""
    devices = kit_run.devices()
    answer = kit_run.answer(AS_MASKED)
    shown = answer.value if answer and isinstance(answer.value, tuple) else ()
    if not all(isinstance(d, Device) for d in shown) or [d.id for d in shown] != [d.id for d in devices]:
        return devices
    return [
        replace(device, visible=masked.visible, runtime_names=masked.runtime_names)
        for device, masked in zip(devices, shown, strict=True)
    ]


def compared(devices: Sequence[Device], rows: Sequence[Mapping[str, Any]], place: str) -> Iterator[Fault]:
    """Yield the expected rows' facts that the devices do not report; rows are matched by id, index or position."""
    for number, row in enumerate(rows):
        device = _match(devices, row, number)
        if device is None:
            yield fault("device-not-given", place=place, device=row.get("id", row.get("index", number)))
            continue
        said = plain(device)
        for fact, value in row.items():
            if fact not in said:
                near = get_close_matches(fact, said, 1)
                yield fault(
                    "expected-unknown-fact", place=place, fact=fact, hint=f"; did you mean {near[0]}?" if near else ""
                )
            elif not _same(said[fact], value):
                yield fault("machine-fact-differs", place=place, fact=fact, device=device, said=said[fact], value=value)


def _match(devices: Sequence[Device], row: Mapping[str, Any], number: int) -> Device | None:
    for fact in ("id", "index"):
        if fact in row:
            return next((d for d in devices if getattr(d, fact) == row[fact]), None)
    return devices[number] if number < len(devices) else None


def _same(said: Any, expected: Any) -> bool:
    if isinstance(said, float) and isinstance(expected, int | float):
        return abs(said - expected) < 1e-6 * max(1.0, abs(said))
    return bool(said == expected)


def _gaps(kit_run: KitRun, expected: Expected) -> Iterator[Fault]:
    said = {gap.fact for report in kit_run.reports() for gap in report.gaps}
    for fact in expected.gaps:
        if fact not in said:
            yield fault("machine-gap-missing", kit_run=kit_run, fact=fact, there=", ".join(sorted(said)) or "none")
