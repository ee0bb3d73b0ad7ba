"""All access to the machine: files, commands, libraries, environment, clock.

Everything that reads from the machine takes a `Machine`. LiveMachine is the real one; RecordedMachine answers from a
folder instead, so that whole commands can be tested for machines that are not available.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult


class Machine(Protocol):
    """What accel can ask of a machine. The file methods raise OSError like the functions that they replace."""

    environment: Mapping[str, str]
    system: str  # "linux", "windows", "macos"; else as Python's sys.platform has it

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        """Return a file's text (UTF-8, invalid bytes replaced), up to limit_bytes. Reads /dev/kmsg without blocking."""
        ...

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Return count bytes of a file, starting at offset; fewer at its end."""
        ...

    def size_bytes(self, path: str) -> int | None:
        """Return a file's size, following links; None if there is no such file or its size is unknown."""
        ...

    def list(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a folder; () if there is no such folder."""
        ...

    def exists(self, path: str) -> bool: ...

    def accessible(self, path: str) -> bool:
        """Return whether this process may open the file for reading and writing."""
        ...

    def link(self, path: str) -> str | None:
        """Return the target of a symbolic link, unresolved; None if it is not one."""
        ...

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        """Return the size and free space of the file system mounted there; None if unknown."""
        ...

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        """Run a command in its own process group, in the C locale, without stdin. Never raises."""
        ...

    def library(self, name: str) -> "ctypes.CDLL | None":
        """Load a shared library into this process; None if the loader does not find it."""
        ...

    def pci_ids(self) -> frozenset[str]:
        """Return the "vendor:device" of everything on the PCI bus, in lower-case hex; empty if the bus is hidden."""
        ...

    def finds_library(self, name: str) -> bool:
        """Return whether the loader would find a library, without loading it."""
        ...

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        """Return the running Python's executable, version ("3.12.1"), sys.path and prefix."""
        ...

    def seconds(self) -> float:
        """Return the time of a monotonic clock."""
        ...
