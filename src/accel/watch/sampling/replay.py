"""Recorded ticks for others: some of their devices, at a given pace, or the last as a snapshot."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.readings import with_readings
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.watch.sampling.chosen import chosen
from accel.watch.sampling.record import Record
from accel.watch.sampling.tick import Tick


def only(ticks: Iterable[Tick], devices: Sequence[Device], which: Sequence[str]) -> Iterator[Tick]:
    """Yield the ticks with only the devices that `which` selects, or all without it. Raises NoSuchDevice."""
    if not which:
        return iter(ticks)
    _, is_meant = chosen(devices, which)
    return _only(ticks, is_meant)


def _only(ticks: Iterable[Tick], is_meant: Callable[[Device], bool]) -> Iterator[Tick]:
    known: tuple[Device, ...] = ()
    kept: tuple[Device, ...] = ()
    for tick in ticks:
        if tick.devices is not known:
            known, kept = tick.devices, tuple(device for device in tick.devices if is_meant(device))
        ids = {device.id for device in kept}
        yield replace(
            tick,
            devices=kept,
            readings=tuple(readings for readings in tick.readings if readings.id in ids),
            happenings=tuple(one for one in tick.happenings if one.device is None or one.device in ids),
        )


def paced(ticks: Iterable[Tick], speed: float, waited: Callable[[float], bool]) -> Iterator[Tick]:
    """Yield the ticks at their original pace, divided by speed.

    waited  waits for a number of seconds; if it returns True, the replay ends
    """
    before: float | None = None
    for tick in ticks:
        if before is not None and waited(max(0.0, tick.seconds - before) / speed):
            return
        before = tick.seconds
        yield tick


_WORDS = {"late": "it had not answered", "hung": "a call about it did not return", "gone": "it was no longer there"}


def snapshot_of(record: Record) -> Snapshot:
    """Return the devices with their last readings, one report per backend; unknown values have a gap."""
    last: Tick | None = None
    for tick in record.ticks():
        last = tick
    assert last is not None  # Record has found one
    reports = []
    for backend in dict.fromkeys(device.backend for device in last.devices):
        pairs = [(d, r) for d, r in zip(last.devices, last.readings, strict=True) if d.backend == backend]
        gaps: list[Gap] = []
        for device, readings in pairs:
            gaps += readings.gaps
            if readings.state != "ok":
                reason = _WORDS.get(readings.state, "its driver gave nothing")
                gaps.append(Gap(fact="readings", reason=reason, device=device.id, backend=backend))
        reports.append(
            Report(
                backend=backend,
                source="record",
                status="partial" if gaps else "ok",
                devices=tuple(with_readings(device, readings) for device, readings in pairs),
                gaps=tuple(gaps),
            )
        )
    taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(last.time))
    lost = record.lost
    reason = f"{lost:,} bytes of it are damaged and were not read"
    damaged = (Gap(fact=record.path, reason=reason, source=record.path),) if lost else ()
    return Snapshot(taken_at=taken_at, origin=record.path, reports=tuple(reports), gaps=damaged)
