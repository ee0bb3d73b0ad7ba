"""The current state of a simulated device: its memory in use, the processes that use it, and whether it is present."""

from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Memory that a process holds on a device. bytes: device memory."""

    pid: int
    process: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a device. busy_percent: 0 to 100; lost: it fell off the bus."""

    busy_percent: int = 0
    uses: tuple[Use, ...] = ()
    lost: bool = False
