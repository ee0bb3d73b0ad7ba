"""The one door to the world: files, commands, libraries, environment, clock.

Everything that touches the machine takes a `Machine`. LiveMachine is this one; RecordedMachine is a
folder that answers instead, so that whole commands run in tests on machines that are not here.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult


class Machine(Protocol):
    """The world, as far as accel asks about it. File methods raise OSError like the functions they stand for."""

    environment: Mapping[str, str]
    system: str  # "linux", "windows", "macos"; else as Python's sys.platform has it

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        """Return a file's text (UTF-8, bad bytes replaced), at most limit_bytes of it; /dev/kmsg without waiting."""
        ...

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Return count bytes of a file from offset on; fewer where it ends."""
        ...

    def size_bytes(self, path: str) -> int | None:
        """Return a file's size, links followed; None if there is no such file, or its size is not known."""
        ...

    def list(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted; () if there is no such folder."""
        ...

    def exists(self, path: str) -> bool: ...

    def accessible(self, path: str) -> bool:
        """Say whether this process may open the file for reading and writing."""
        ...

    def link(self, path: str) -> str | None:
        """Return where a symbolic link points, unresolved; None if it is none."""
        ...

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        """Return the size and the free space of the file system mounted there; None if it cannot be asked."""
        ...

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        """Run a command in its own process group, its language set to C, with nothing on stdin; never raises."""
        ...

    def library(self, name: str) -> "ctypes.CDLL | None":
        """Load a shared library into this process; None if the loader does not find it."""
        ...

    def pci_ids(self) -> frozenset[str]:
        """Return the "vendor:device" of everything on the PCI bus, in lower-case hex; empty where no bus is shown."""
        ...

    def finds_library(self, name: str) -> bool:
        """Say whether the loader would find a library, without loading it."""
        ...

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        """Return the running Python's executable, version ("3.12.1"), sys.path and prefix."""
        ...

    def seconds(self) -> float:
        """Return a monotonic clock."""
        ...
