"""One moment of watching: the readings of every device, and the events since the previous moment.

Between accel's own processes readings travel as rows of plain values, which is faster than pickled records: a row has
the values of READINGS in order; processes and gaps are nested rows.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass, field_names
from accel.model.device import Device, Gap
from accel.model.readings import READINGS, ProcessReadings, Readings

Kind = Literal["gone", "back", "new", "changed", "hung", "failed", "late", "clock", "missed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An unusual event, reported once, when it happens.

    gone, back    a device no longer answers, or answers again
    new, changed  a device was not there before, or its id belongs to another one now (a recreated partition)
    hung, failed  a call did not return, or ended its process: it is skipped and retried later
    late          a driver takes longer than the interval
    clock         the system's clock was set: `time` jumps, `seconds` does not
    missed        ticks that were due while this process was suspended
    """

    kind: Kind
    text: str
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One moment.

    number      counts from 0
    seconds     since watching began, by a monotonic clock
    time        the same moment by the system's clock, seconds since 1970 in UTC
    devices     the watched devices, as listed; the same object as long as nothing changes
    readings    of each device, in order; a device that does not answer has a state other than "ok"
    happenings  since the previous tick
    """

    number: int
    seconds: float
    time: float
    devices: tuple[Device, ...]
    readings: tuple[Readings, ...]
    happenings: tuple[Happening, ...] = ()


Row = tuple[Any, ...]

_read: Final = attrgetter(*READINGS)
_PROCESSES: Final = READINGS.index("processes")
_GAPS: Final = READINGS.index("gaps")
_OF_PROCESS: Final = field_names(ProcessReadings)
_read_process: Final = attrgetter(*_OF_PROCESS)
_OF_GAP: Final = field_names(Gap)
_read_gap: Final = attrgetter(*_OF_GAP)


def row_of(readings: Readings) -> Row:
    """Return the readings as a row."""
    row = list(_read(readings))
    held = row[_PROCESSES]
    row[_PROCESSES] = None if held is None else [_read_process(process) for process in held]
    row[_GAPS] = [_read_gap(gap) for gap in row[_GAPS]]
    return tuple(row)


def readings_of_row(row: Sequence[Any]) -> Readings:
    """Return the readings of a row from `row_of`."""
    values = dict(zip(READINGS, row, strict=True))
    held = values["processes"]
    if held is not None:
        values["processes"] = tuple(ProcessReadings(**dict(zip(_OF_PROCESS, process, strict=True))) for process in held)
    reasons = values["clock_event_reasons"]
    if reasons is not None:
        values["clock_event_reasons"] = tuple(reasons)
    values["gaps"] = tuple(Gap(**dict(zip(_OF_GAP, gap, strict=True))) for gap in values["gaps"])
    return Readings(**values)
