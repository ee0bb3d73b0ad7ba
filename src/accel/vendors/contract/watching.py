"""What a backend may implement in addition to accel.vendors.contract.backend.Backend, for frequent, cheap readings.

A backend without it is monitored through its `sample`, which provides only what the device record contains.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from accel.model.dataclass import dataclass, field
from accel.vendors.contract.backend import Progress, Silent

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.readings import Readings


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What `readings` should read beyond what is cheap.

    links     bytes per second over PCIe and the device's links; with some drivers this takes 20 ms per call
    activity  how much of the chip was active: saturation, matrix units, memory bandwidth. If that takes two samples,
              they are taken for all devices at once; the last sample of one reading is the first of the next
    skip      calls, as (call, device id or None), that hung or crashed earlier: do not make them; their readings are
              None
    progress  called before each call, as in a probe
    """

    links: bool = False
    activity: bool = False
    skip: frozenset[tuple[str, str | None]] = frozenset()
    progress: Progress = field(default_factory=Silent)


class Watchable(Protocol):
    """A backend that takes its own readings."""

    def readings(self, machine: "Machine", devices: "Sequence[Device]", wanted: Wanted) -> "Sequence[Readings]":
        """Return the readings of these devices, in the same order, reusing open handles. Never raises for a missing
        device.

        Rates, such as bytes per second, are averages since the previous reading; the first is None.
        """
        ...
