"""Queries a backend in this process: if it cannot or must not fork, and on recorded machines.

A hanging call blocks its caller; an exception loses only its backend's readings of that moment.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.model.dataclass import replace
from accel.vendors.contract.backend import Silent
from accel.watch.sampling.asking import asked
from accel.watch.sampling.worker import Answer, Skip, listed

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.watching import Wanted


class Here:
    """Replaces a Worker: it answers synchronously."""

    pipe = -1
    since: float | None = None
    has_answered = True

    def __init__(
        self, backend: "Backend", machine: "Machine", devices: "Sequence[Device]", skip: Skip, guest: bool
    ) -> None:
        self.backend, self.machine, self.guest, self.skip = backend, machine, guest, skip
        self.devices = tuple(devices)

    def ask(self, now: float, wanted: "Wanted", listing: bool = False) -> Answer:
        """Query the backend, and return the answer."""
        answer = Answer()
        try:
            if listing:
                answer.devices, answer.gaps = listed(self.backend, self.machine, self.skip, Silent(), self.guest)
                self.devices = answer.devices
            wanted = replace(wanted, skip=self.skip) if self.skip else wanted
            answer.readings = tuple(asked(self.backend, self.machine, self.devices, wanted, self.guest))
        except Exception as error:  # a plugin's code may raise anything
            answer.error = f"{type(error).__name__}: {error}"
        return answer

    def kill(self) -> None:
        pass

    def reap(self) -> bool:
        return True
