"""What a backend may offer beyond accel.vendors.contract.backend.Backend, to be watched closely and cheaply.

A backend without it is watched by its `sample`: what its device's record holds is then known, and nothing else.
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
    """What is asked of `readings`, beyond what is cheap.

    links     bytes per second over PCIe and the device's links; with some drivers 20 ms a call
    activity  how much of the chip worked: saturated, matrix units, memory bandwidth. Where that takes two samples, they
              are taken of all devices at once, and the last sample of the reading before is the first of this one
    skip      (call, device id or None) that hung or crashed earlier: not to be made, its readings are None
    progress  called with each call before it is made, as in a probe
    """

    links: bool = False
    activity: bool = False
    skip: frozenset[tuple[str, str | None]] = frozenset()
    progress: Progress = field(default_factory=Silent)


class Watchable(Protocol):
    """A backend that takes readings itself."""

    def readings(self, machine: "Machine", devices: "Sequence[Device]", wanted: Wanted) -> "Sequence[Readings]":
        """Return the readings of these devices, in their order, over kept handles; never raises for an absent device.

        A rate, such as bytes per second, is taken over the time since the reading before: the first is None.
        """
        ...
