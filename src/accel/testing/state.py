"""What a simulated device does at the moment: its memory in use, who uses it, and whether it is there at all."""

from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Memory that a process holds on a device. bytes: of device memory."""

    pid: int
    process: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a device. busy_percent: 0 to 100; lost: it has fallen off its bus."""

    busy_percent: int = 0
    uses: tuple[Use, ...] = ()
    lost: bool = False
