"""`accel.testing.machine`: replaces this machine with a simulated one, and the changes a test can make to it."""

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from accel.apps import api
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.plugins.registry import Registry
from accel.testing.catalogue import names, recipe_of
from accel.testing.simulated import SimulatedMachine
from accel.testing.state import Use

if TYPE_CHECKING:
    from typing_extensions import Self


def machines() -> tuple[str, ...]:
    """Return the names that `machine` accepts. A count and a product, such as "4xA10", is accepted too."""
    return names()


def machine(
    name: str, *, environment: Mapping[str, str] | None = None, packages: Mapping[str, str] | None = None
) -> "Machine":
    """Return a simulated machine; `with` puts it in place of this one.

    name         one of `machines()`, or a count and an NVIDIA or AMD product in the spec database: "4xA10"
    environment  variables that programs on it see, in addition to its own: {"CUDA_VISIBLE_DEVICES": "0,1"}. This
                 process's variables are not visible
    packages     its only Python packages: {"torch": "2.9.1+cu128"}

    Raises BadInput, with the nearest names, for an unknown name, and for an invalid package name or version.
    """
    return Machine(name, environment or {}, packages or {})


class Machine:
    """A simulated machine that replaces this one inside its `with` block, for the whole process.

    name      as requested
    about     a description of it and its source
    composed  True: composed from a product's figures; False: listed as a machine

    If blocks are nested, the innermost machine answers. Leaving the block undoes all changes, including those made by
    `accel.configure` inside it. A program started by the test sees the real machine.
    """

    def __init__(self, name: str, environment: Mapping[str, str], packages: Mapping[str, str]) -> None:
        self._registry = Registry({}, sys.path)
        recipe = recipe_of(name, self._registry.specs)
        self.name: str = recipe.name
        self.about: str = recipe.about
        self.composed: bool = recipe.composed
        self._simulated = SimulatedMachine(recipe, environment, packages)
        self._entered: list[api.Doors] = []

    def __enter__(self) -> "Self":
        doors = api.Doors(self._simulated, self._registry)
        doors.configured = api._doors().configured
        api.instead.append(doors)
        self._entered.append(doors)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        doors = self._entered.pop()
        api.instead[:] = [one for one in api.instead if one is not doors]

    def __repr__(self) -> str:
        return f"accel.testing.machine({self.name!r})"

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that programs on the machine see. You may modify them: m.environment["…"] = "0"."""
        return self._simulated.variables

    @property
    def devices(self) -> tuple[str, ...]:
        """Return the ids of its accelerators, each followed by its slices."""
        return self._simulated.ids()

    def use(self, device: str, memory: "str | int", *, process: str = "python3", pid: int | None = None) -> int:
        """Make a process hold memory on a device, in addition to what is already in use; return its pid.

        memory: "20GiB", or a number of bytes. Raises NoSuchDevice; raises BadInput for an invalid amount, or if no
        driver reports the device's usage.
        """
        size = _bytes(memory)
        number = self._simulated.next_pid() if pid is None else pid
        self._change(device, add=Use(pid=number, process=process, bytes=size))
        return number

    def busy(self, device: str, percent: int = 100) -> None:
        """Set a device's utilisation from now on, 0 to 100. Raises like `use`."""
        if not 0 <= percent <= 100:
            raise BadInput(f"busy({device!r}, {percent!r}): give 0 to 100.")
        self._change(device, percent=percent)

    def lose(self, *devices: str) -> None:
        """Make devices fall off the bus. Raises NoSuchDevice.

        NVIDIA devices stay listed: their health is "critical", calls fail with "GPU is lost", the kernel log has Xid
        79. Devices of other vendors are no longer listed.
        """
        for device in devices:
            if "/" in self._simulated.known(device):
                raise BadInput(f"lose({device!r}): a slice is lost with its device, {device.partition('/')[0]}.")
        self._simulated.change({one: replace(self._simulated.state(one), lost=True) for one in devices})

    def hang(self, *names: str) -> None:
        """Make calls about devices ("nvidia:3"), or all calls of a vendor ("nvidia"), never return.

        With a deadline, accel continues without them or raises DeadlineMissed. Without one the caller would wait
        forever, so the call raises NeverReturns instead. A vendor's tool is stopped after its own timeout. Raises
        NoSuchDevice, and BadInput if accel makes no call there that could hang.
        """
        self._simulated.hang(*names)

    def heal(self, *names: str) -> None:
        """Reset devices to present, idle, free and responsive; all of them if none is named. Raises NoSuchDevice."""
        self._simulated.heal(*names)

    def _change(self, device: str, *, add: Use | None = None, percent: int | None = None) -> None:
        before = self._simulated.state(self._simulated.known(device))
        if not self._simulated.tells_use(device):
            raise BadInput(
                f"{device}: its driver reports neither memory nor load for such a device, as on a real machine."
            )
        uses = before.uses if add is None else (*before.uses, add)
        busy = before.busy_percent if percent is None else percent
        self._simulated.change({device: replace(before, uses=uses, busy_percent=busy)})


def _bytes(memory: "str | int") -> int:
    if isinstance(memory, int) and not isinstance(memory, bool) and memory >= 0:
        return memory
    from accel.text.amounts import size_bytes

    found = size_bytes(memory) if isinstance(memory, str) else None
    if found is None:
        raise BadInput(f"{memory!r} is no amount of memory. Give bytes, or a text such as '20GiB'.")
    return found
