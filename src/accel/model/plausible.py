"""Removes numbers that no device can have; they become unknown, with a gap that quotes them.

Every report goes through this once, wherever it comes from: a tool may print an error code as a number, a text may be
damaged, and a snapshot may come from anybody.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.dataclass import field_names, is_record, replace
from accel.model.device import Device, Gap
from accel.model.report import Report

MOST_DEVICES: Final = 4096  # in one report: a slice of a pod lists all of its chips
_LARGEST: Final = 1 << 63  # of numbers without a unit
_RANGES: Final = {  # by the end of the field's name
    "_bytes": (0, 1 << 50),
    "_percent": (0, 1000),  # a CPU's processes add up over its cores
    "_celsius": (-100, 200),  # 255 is a sensor's byte without a value
    "_watts": (0, 100_000),
    "_volts": (0, 10_000),
    "_hertz": (0, 1e12),
    "_mhz": (0, 1_000_000),
    "_seconds": (0, 1e12),
    "_count": (0, _LARGEST),
}
_EXACT: Final = {
    "index": (0, 1 << 20),
    "numa_node": (-1, 4096),
    "utilization_percent": (0, 100),
    "core_count": (0, 100_000),
    "devices_per_chip": (0, 64),
    "memory_total_bytes": (1, 1 << 50),
}
_OWN: Final = {"pid": (1, (1 << 32) - 2), "index": (0, 1 << 20)}  # of a process, a link: what tells it from the others
MEMORY_PARTS: Final = ("memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")  # of memory_total_bytes


def plausible(report: Report) -> Report:
    """Return a report whose numbers are finite, within the range of their unit, and consistent: parts no larger than
    their whole, and no more devices than one machine or pod can have.
    """
    gaps: list[Gap] = []
    devices = []
    for device in report.devices[:MOST_DEVICES]:
        wrong = dict(_wrong(device))
        if "index" in wrong:
            gaps.append(_gap(report, "index", wrong["index"], None))
            continue
        gaps += [_gap(report, name, value, device.id) for name, value in wrong.items()]
        unknown: dict[str, Any] = dict.fromkeys(wrong)
        inner = dict(_inside(device))
        gaps += [_gap(report, name, wrong, device.id) for name, (_, wrongs) in inner.items() for wrong in wrongs]
        unknown.update({name: records for name, (records, _) in inner.items()})
        devices.append(replace(device, **unknown) if unknown else device)
    if len(report.devices) > MOST_DEVICES:
        reason = f"{report.source} lists {len(report.devices):,} devices; the first {MOST_DEVICES:,} are kept"
        gaps.append(Gap(fact="devices", reason=reason, backend=report.backend, source=report.source))
    if not gaps:
        return report
    report = replace(report, devices=tuple(devices), gaps=(*report.gaps, *gaps))
    return replace(report, status="partial") if report.status == "ok" else report


def _inside(device: Device) -> Iterator[tuple[str, tuple[tuple[Any, ...], list[float]]]]:
    """Yield (field, (valid records, the invalid numbers)) for each list of processes, links and so on."""
    for name in field_names(device):
        records = getattr(device, name)
        if not isinstance(records, tuple) or not all(is_record(record) for record in records):
            continue
        kept: list[Any] = []
        wrongs: list[float] = []
        for record in records:
            wrong = dict(_wrong_of_part(record, device.memory_total_bytes))
            wrongs += wrong.values()
            if not wrong.keys() & _OWN.keys():
                kept.append(replace(record, **dict.fromkeys(wrong)) if wrong else record)
        if wrongs:
            yield name, (tuple(kept), wrongs)


def _wrong_of_part(record: Any, total: int | None) -> Iterator[tuple[str, float]]:
    for name in field_names(record):
        value = getattr(record, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        least, most = _OWN.get(name) or number_range(name)
        if name == "memory_bytes" and total:
            most = min(most, total)
        if not least <= value <= most:
            yield name, value


def _wrong(device: Device) -> Iterator[tuple[str, Any]]:
    """Yield (field, value) for each number that the device cannot have."""
    for name in field_names(device):
        value = getattr(device, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        least, most = number_range(name)
        if not least <= value <= most:  # nor is NaN
            yield name, value
    total = device.memory_total_bytes
    if total is not None and 0 < total <= _RANGES["_bytes"][1]:
        for name in MEMORY_PARTS:
            part = getattr(device, name)
            if part is not None and total < part <= _RANGES["_bytes"][1]:
                yield name, part


def number_range(name: str) -> tuple[float, float]:
    """Return the smallest and largest valid value of a field with this name."""
    if name in _EXACT:
        return _EXACT[name]
    return next((span for ending, span in _RANGES.items() if name.endswith(ending)), (-_LARGEST, _LARGEST))


def _gap(report: Report, name: str, value: Any, device: str | None) -> Gap:
    reason = said_of(report.source, value)
    return Gap(fact=name, reason=reason, device=device, backend=report.backend, source=report.source)


def said_of(source: str, value: Any) -> str:
    """Return the reason for the gap that an implausible number leaves."""
    shown = f"{value:g}" if isinstance(value, float) else str(value) if abs(value) < 10**40 else f"{10**40} and more"
    return f"{source} reports {shown}, which no device has"
