"""Readings as rows of plain values, for pipes between accel's own processes. Faster than pickled records.

A row has the values of READINGS in order; processes and gaps are nested rows.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from accel.model.dataclass import field_names
from accel.model.device import Gap
from accel.model.readings import READINGS, ProcessReadings, Readings

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
        values["processes"] = tuple(_process(tuple(process)) for process in held)
    reasons = values["clock_event_reasons"]
    if reasons is not None:
        values["clock_event_reasons"] = tuple(reasons)
    values["gaps"] = tuple(Gap(**dict(zip(_OF_GAP, gap, strict=True))) for gap in values["gaps"])
    return Readings(**values)


def _process(row: Row) -> ProcessReadings:
    return ProcessReadings(**dict(zip(_OF_PROCESS, row, strict=True)))
