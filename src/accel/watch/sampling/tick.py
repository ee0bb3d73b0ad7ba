"""One moment of watching: the readings of every device, and what happened since the moment before."""

from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.readings import Readings

Kind = Literal["gone", "back", "new", "changed", "hung", "failed", "late", "clock", "missed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What is out of the ordinary, said once, when it happens.

    gone, back    a device no longer answers, or answers again
    new, changed  a device was not there before, or another one has its id now (a recreated partition)
    hung, failed  a call did not return, or ended its process: it is left out and tried again later
    late          a driver takes longer than the interval
    clock         the system's clock was set: `time` jumps, `seconds` does not
    missed        ticks that were due while this process did not run
    """

    kind: Kind
    text: str
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One moment.

    number      from 0, by one
    seconds     since watching began, by a clock that nobody sets
    time        the same moment by the system's clock, seconds since 1970 in UTC
    devices     who was watched, as listed; the same object as long as nothing of it changes
    readings    of each device, in their order; a device that does not answer has a state other than "ok"
    happenings  since the tick before
    """

    number: int
    seconds: float
    time: float
    devices: tuple[Device, ...]
    readings: tuple[Readings, ...]
    happenings: tuple[Happening, ...] = ()
