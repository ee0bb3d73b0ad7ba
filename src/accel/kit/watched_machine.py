"""A Machine that marks its own effects for the watch, and records what was asked of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accel.kit.watch import Watch
from accel.machine.live import LiveMachine

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine


class Asked(Mapping[str, str]):
    """A mapping that records the names that are looked up."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.names: dict[str, None] = {}

    def __getitem__(self, name: str) -> str:
        self.names[name] = None
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        self.names[str(name)] = None
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _allowed(name: str) -> Callable[..., Any]:
    """Return the method of this name that forwards the call, with its effects allowed."""

    def forwarded(self: "WatchedMachine", *given: Any, **named: Any) -> Any:
        with self._watch.allowed():
            return getattr(self._machine, name)(*given, **named)

    return forwarded


class WatchedMachine:
    """Forwards everything to another Machine."""

    def __init__(self, machine: "Machine", watch: Watch) -> None:
        self._machine, self._watch = machine, watch
        self.environment: Mapping[str, str] = machine.environment
        self.system = machine.system
        self.commands: list[tuple[str, float]] = []
        self.waited = 0.0
        self.loaded: list[str] = []

    read = _allowed("read")
    read_bytes = _allowed("read_bytes")
    size_bytes = _allowed("size_bytes")
    list = _allowed("list")
    exists = _allowed("exists")
    accessible = _allowed("accessible")
    link = _allowed("link")
    filesystem_bytes = _allowed("filesystem_bytes")
    pci_ids = _allowed("pci_ids")
    finds_library = _allowed("finds_library")
    interpreter = _allowed("interpreter")

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        with self._watch.allowed():
            done = self._machine.run(argv, timeout_seconds)
        self.commands.append((" ".join(argv), timeout_seconds))
        if done.timed_out:
            self.waited += timeout_seconds
        return done

    def library(self, name: str) -> "ctypes.CDLL | None":
        self.loaded.append(name)
        with self._watch.allowed():
            found = self._machine.library(name)
        if found is not None:
            self._watch.libraries.add(name)
        return found

    def seconds(self) -> float:
        return self._machine.seconds()


class WatchedLiveMachine(WatchedMachine, LiveMachine):
    """The same for a LiveMachine, so that isinstance checks succeed."""


def watched(machine: "Machine", watch: Watch) -> WatchedMachine:
    """Wrap the machine so that it is watched."""
    return (WatchedLiveMachine if isinstance(machine, LiveMachine) else WatchedMachine)(machine, watch)
