"""A Machine that marks its own effects for the watch, and records what was asked of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

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


class WatchedMachine:
    """Forwards everything to another Machine."""

    def __init__(self, machine: "Machine", watch: Watch) -> None:
        self._machine, self._watch = machine, watch
        self.environment: Mapping[str, str] = machine.environment
        self.system = machine.system
        self.commands: list[tuple[str, float]] = []
        self.waited = 0.0
        self.loaded: list[str] = []

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        with self._watch.allowed():
            return self._machine.read(path, limit_bytes)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        with self._watch.allowed():
            return self._machine.read_bytes(path, offset, count)

    def size_bytes(self, path: str) -> int | None:
        with self._watch.allowed():
            return self._machine.size_bytes(path)

    def list(self, path: str) -> tuple[str, ...]:
        with self._watch.allowed():
            return self._machine.list(path)

    def exists(self, path: str) -> bool:
        with self._watch.allowed():
            return self._machine.exists(path)

    def accessible(self, path: str) -> bool:
        with self._watch.allowed():
            return self._machine.accessible(path)

    def link(self, path: str) -> str | None:
        with self._watch.allowed():
            return self._machine.link(path)

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        with self._watch.allowed():
            return self._machine.filesystem_bytes(path)

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

    def pci_ids(self) -> frozenset[str]:
        with self._watch.allowed():
            return self._machine.pci_ids()

    def finds_library(self, name: str) -> bool:
        with self._watch.allowed():
            return self._machine.finds_library(name)

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        with self._watch.allowed():
            return self._machine.interpreter()

    def seconds(self) -> float:
        return self._machine.seconds()


class WatchedLiveMachine(WatchedMachine, LiveMachine):
    """The same for a LiveMachine, so that isinstance checks succeed."""


def watched(machine: "Machine", watch: Watch) -> WatchedMachine:
    """Wrap the machine so that it is watched."""
    return (WatchedLiveMachine if isinstance(machine, LiveMachine) else WatchedMachine)(machine, watch)
