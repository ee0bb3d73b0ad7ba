"""Its recorded machines give the expected results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from accel.kit.evidence import Evidence, KitRun
from accel.kit.expected import Expected
from accel.kit.kit_run import AS_MASKED
from accel.kit.requirement import NO_MACHINES, Fault, rule, unless, wants
from accel.model.device import Device
from accel.model.merge import merged_driver
from accel.model.to_builtins import plain


@rule("replay", "discover", "Its recorded machines give the devices and the driver that are expected of them")
def replay(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and not evidence.loading.error, "it does not load")
    assert evidence.loading is not None
    for sentence in evidence.unusable:
        yield Fault(sentence=sentence, remedy="Mend the file: docs/conformance.md shows one")
    for place, said in (*evidence.expected.items(), *evidence.texts_expected.items()):
        for mistake in said.mistakes:
            yield Fault(sentence=f"{place}: {mistake}", remedy="Mend the file: docs/conformance.md shows one")
    unless("accel_backend" in evidence.loading.hooks, "it registers no backend")
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
        yield Fault(
            sentence=f"{place} gives {len(devices)} devices ({names}); {len(expected.devices)} are expected",
            remedy="Mend the backend; or expected.yaml, if the machine really has these",
        )
    if expected.driver:
        driver = plain(merged_driver(kit_run.reports())) or {}
        for fact, value in expected.driver.items():
            if driver.get(fact) != value:
                yield Fault(
                    sentence=f"{place}: {fact} of the driver is {driver.get(fact)!r}; {value!r} is expected",
                    remedy="Mend the backend, or expected.yaml",
                )


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
            yield Fault(
                sentence=f"{place} does not give the device {row.get('id', row.get('index', number))!r}",
                remedy="Mend the backend; or expected.yaml, if there is no such device",
            )
            continue
        said = plain(device)
        for fact, value in row.items():
            if fact not in said:
                near = get_close_matches(fact, said, 1)
                yield Fault(
                    sentence=f"{place}: expected.yaml names {fact!r}, which no device has"
                    + (f"; did you mean {near[0]}?" if near else ""),
                    remedy="Use the names of the fields of the device's record",
                )
            elif not _same(said[fact], value):
                yield Fault(
                    sentence=f"{place}: {fact} of {device.id!r} is {said[fact]!r}; {value!r} is expected",
                    remedy="Mend the backend; or expected.yaml, if the recording says so",
                )


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
            yield Fault(
                sentence=f"the machine {kit_run.machine!r} has no Gap for {fact!r}; there are "
                f"{', '.join(sorted(said)) or 'none'}",
                remedy=f"Say why it is not known: Gap(fact={fact!r}, reason=…)",
            )


RULES = (replay,)
