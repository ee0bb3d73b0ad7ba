"""The tables of `tpu-info`, also when streaming or with --process.

    TPU Chips
    | Chip        | Type         | Devices | PID     |       0.x: "Device", "Cores"; PID is "None" if nobody holds it
    |-------------|--------------|---------|---------|
    | /dev/vfio/0 | TPU v6e chip | 1       | 1469584 |
    TPU Runtime Utilization                                 0.x: "TPU Chip Utilization", "Memory usage", "Core ID"
    | Chip | HBM Usage (GiB)       | Duty cycle |
    |------|-----------------------|------------|
    | 8    | 18.45 GiB / 31.25 GiB |    100.00% |
    TensorCore Utilization
    | Core ID | TensorCore Utilization |
    |---------|------------------------|
    | 0       | 13.60%                 |
    TPU Process Info
    | Chip        | PID    | Process Name |
    | /dev/vfio/0 | 799657 | python3      |

Seen: 0.0 to 0.14. The numbers of the utilization table are libtpu's own: 8, 9, 12, 13 on the second host of a slice, so
its rows are matched to the chips by order, and only if there are as many as chips or cores.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.model.device import Gap, Process
from accel.model.report import Report
from accel.text.amounts import word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_tpu.generation import generation_of, product_name
from accel_tpu.model import TpuDevice
from accel_tpu.readers.tables import Table, tables

_LONGEST_NUMBER: Final = 5
_PATH: Final = pattern(r"/dev/(?:accel\d+|vfio/\d+)")
_USAGE: Final = pattern(r"([\d.]+)(?:\s{0,9}([KMGT]i?B))?\s{0,9}/\s{0,9}([\d.]+)(?:\s{0,9}([KMGT]i?B))?")
_UNITS: Final = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_PERCENT: Final = pattern(r"^(\d+(?:\.\d+)?)\s*%?$")
_UNAVAILABLE: Final = "Libtpu metrics unavailable"


@dataclass(slots=True)
class _Chip:
    """One chip in the tables of chips and processes. path is None if unreadable."""

    path: str | None
    type: str | None = None
    devices: int | None = None
    processes: dict[int, str | None] = field(default_factory=dict)
    processes_listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One row of the utilization table."""

    used_bytes: int | None
    total_bytes: int | None
    duty_percent: float | None


def _kind(cells: Sequence[str]) -> str | None:
    names = set(cells)
    if {"type", "pid"} <= names:
        return "chips"
    if "pid" in names and "process name" in names:
        return "processes"
    if any(name.startswith("duty cycle") for name in names) and len(names) > 1:
        return "use"
    if any(name.startswith("tensorcore utilization") for name in names) and len(names) == 2:
        return "cores"
    return None


def _read(text: str) -> Iterator[Reading]:
    chips: list[_Chip] = []
    use: list[_Use] = []
    cores: list[float | None] = []
    first = None
    for table in tables(text, lambda cells: _kind(cells) is not None):
        kind = _kind(table.header)
        first = first or table.line
        if kind == "chips":
            _read_chips(table, chips)
        elif kind == "processes":
            _read_processes(table, chips)
        elif kind == "use":  # a later frame of a stream replaces the earlier
            use = [_use(table.header, row) for row in _in_order(table)]
        else:
            cores = [_percent(row[1]) for row in _in_order(table) if len(row) == 2]
    if not chips:
        return
    devices, gaps = _devices(chips, use, cores, unavailable=_UNAVAILABLE in text)
    report = Report(
        backend="tpu",
        source=READER.name,
        status="partial" if gaps else "ok",
        trust=70,
        devices=devices,
        gaps=gaps,
    )
    yield Reading(source=READER.name, reports=(report,), first_line=first)


def _in_order(table: Table) -> list[tuple[str, ...]]:
    """Return the rows that start with a number, by that number: their place among the chips or cores."""
    numbered = [row for row in table.rows if row and row[0].isascii() and row[0].isdecimal()]
    if any(len(row[0]) > _LONGEST_NUMBER for row in numbered):  # no place: the rows are in text order
        return numbered
    return sorted(numbered, key=lambda row: int(row[0]))


def _read_chips(table: Table, chips: list[_Chip]) -> None:
    listed = list(chips)
    for place, row in enumerate(table.rows):
        path = _PATH.search(row[0])
        cells = dict(zip(table.header, row, strict=False))
        if path is None and generation_of(cells.get("type", "")) is None:
            continue
        if place < len(listed) and None in (path, listed[place].path):
            chip = listed[place]  # every frame lists the chips in one order
            chip.path = path[0] if path else chip.path
        else:
            chip = _chip(chips, path[0] if path else None)
        chip.type = re.sub(r"\s*chips?$", "", cells.get("type", "")) or chip.type
        devices = cells.get("devices", cells.get("cores", ""))
        chip.devices = int(devices) if devices.isdecimal() else chip.devices
        pids = cells.get("pid")
        if pids is not None:
            chip.processes_listed = True
            chip.processes = {int(pid): chip.processes.get(int(pid)) for pid in re.findall(r"\d+", pids)}


def _chip(chips: list[_Chip], path: str | None) -> _Chip:
    """Return the chip with this path, adding it if new; a new chip for None."""
    found = next((chip for chip in chips if path is not None and chip.path == path), None)
    if found is None:
        found = _Chip(path)
        chips.append(found)
    return found


def _read_processes(table: Table, chips: list[_Chip]) -> None:
    alone = not chips
    for row in table.rows:
        cells = dict(zip(table.header, row, strict=False))
        path, pid = _PATH.search(row[0]), cells.get("pid", "")
        if path:
            chip = _chip(chips, path[0])
            chip.processes_listed = True
            if pid.isdecimal():
                chip.processes[int(pid)] = word(cells.get("process name"))
        elif alone:  # the chips after it cannot be counted
            break


def _use(header: Sequence[str], row: Sequence[str]) -> _Use:
    used = total = duty = None
    for name, cell in zip(header, row, strict=False):
        amounts = _USAGE.search(cell)
        if amounts and ("usage" in name or "memory" in name):
            used = _bytes(amounts[1], amounts[2] or amounts[4])
            total = _bytes(amounts[3], amounts[4] or amounts[2])
        elif name.startswith("duty cycle"):
            duty = _percent(cell)
    return _Use(used_bytes=used, total_bytes=total, duty_percent=duty)


def _bytes(amount: str, unit: str | None) -> int | None:
    """Return the bytes. tpu-info uses binary units, and GiB if only the header has one."""
    try:
        return round(float(amount) * _UNITS[(unit or "G")[0].upper()])
    except (OverflowError, ValueError):
        return None


def _percent(cell: str) -> float | None:
    found = _PERCENT.match(cell.strip())
    return float(found[1]) if found and float(found[1]) <= 100 else None


def _devices(
    chips: Sequence[_Chip], use: Sequence[_Use], cores: Sequence[float | None], *, unavailable: bool
) -> tuple[tuple[TpuDevice, ...], tuple[Gap, ...]]:
    per_chip = _shared(use, chips)
    per_core = _shared(cores, chips)
    reason = None
    if unavailable:
        reason = "libtpu only serves metrics while a program uses the TPU"
    elif use and per_chip is None:
        reason = f"the utilization table has {len(use)} rows for {len(chips)} chips, so they cannot be matched"
    elif not use:
        reason = "the text has no utilization table"
    devices = tuple(
        _device(n, chip, per_chip[n] if per_chip else (), per_core[n] if per_core else ())
        for n, chip in enumerate(chips)
    )
    if reason is None:
        return devices, ()
    facts = ("memory_total_bytes", "utilization_percent")
    return devices, tuple(Gap(fact=fact, reason=reason, backend="tpu", source=READER.name) for fact in facts)


def _shared(rows: Sequence[object], chips: Sequence[_Chip]) -> list[list[object]] | None:
    """Assign the rows to the chips in order; None if their counts do not fit."""
    if not rows or len(rows) % len(chips):
        return None
    each = len(rows) // len(chips)
    known = {chip.devices for chip in chips}
    if each > 1 and known not in ({each}, {None}):
        return None
    return [list(rows[n * each : (n + 1) * each]) for n in range(len(chips))]


def _device(index: int, chip: _Chip, use: Sequence[object], cores: Sequence[object]) -> TpuDevice:
    rows = [row for row in use if isinstance(row, _Use)]
    total = _sum([row.total_bytes for row in rows])
    used = _sum([row.used_bytes for row in rows])
    duty = _mean([row.duty_percent for row in rows])
    generation = generation_of(chip.type) if chip.type else None
    processes = tuple(Process(pid=pid, name=name) for pid, name in chip.processes.items())
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        name=product_name(generation) or chip.type,
        architecture=generation,
        device_path=chip.path,
        devices_per_chip=chip.devices,
        memory_total_bytes=total,
        memory_used_bytes=used,
        memory_free_bytes=total - used if total is not None and used is not None and total >= used else None,
        utilization_percent=duty,
        duty_cycle_percent=duty,
        tensorcore_utilization_percent=_mean([core for core in cores if core is None or isinstance(core, float)]),
        processes=processes if chip.processes_listed else None,
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 2) if known and len(known) == len(values) else None


READER: Final = Reader(name="tpu-info", signs=("/dev/accel", "/dev/vfio/"), read=_read)
