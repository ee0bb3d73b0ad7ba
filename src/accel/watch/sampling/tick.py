"""One moment of watching: the readings of every device, and the events since the previous moment."""

from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.readings import Readings

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
