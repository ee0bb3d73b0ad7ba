"""A recording as a snapshot of its last moment, for anything that reads snapshots."""

import time

from accel.model.device import Gap
from accel.model.readings import with_readings
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.watch.sampling.record import Record
from accel.watch.sampling.tick import Tick

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
