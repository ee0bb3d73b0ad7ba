"""The one door to the world: files, commands, libraries, environment, clock.

Everything that touches the machine takes a `Machine`. LiveMachine is this one; RecordedMachine is a
folder that answers instead, so that whole commands run in tests on machines that are not here.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes

    from accel.command import CommandResult


class Machine(Protocol):
    """The world, as far as accel asks about it. File methods raise OSError like the functions they stand for."""

    environment: Mapping[str, str]
    system: str  # "linux", "windows", "macos"; else as Python's sys.platform has it

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        """Return a file's text (UTF-8, bad bytes replaced), at most limit_bytes of it."""
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


class LiveMachine:
    """This machine."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment: Mapping[str, str] = os.environ if environment is None else environment
        self.system: str = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
        self._pci_ids: frozenset[str] | None = None

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        with open(path, "rb") as file:
            return file.read(limit_bytes).decode("utf-8", "replace")

    def list(self, path: str) -> tuple[str, ...]:
        try:
            return tuple(sorted(os.listdir(path)))
        except (FileNotFoundError, NotADirectoryError):
            return ()

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def accessible(self, path: str) -> bool:
        return os.access(path, os.R_OK | os.W_OK)

    def link(self, path: str) -> str | None:
        try:
            return os.readlink(path)
        except OSError:
            return None

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        if not hasattr(os, "statvfs"):
            return None
        try:
            size = os.statvfs(path)
        except OSError:
            return None
        return size.f_blocks * size.f_frsize, size.f_bavail * size.f_frsize

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        from accel.command import run

        return run(argv, timeout_seconds, self.environment)

    def library(self, name: str) -> "ctypes.CDLL | None":
        import ctypes

        try:
            return ctypes.CDLL(name)
        except OSError:
            return None

    def pci_ids(self) -> frozenset[str]:
        if self._pci_ids is None:  # every backend asks
            from accel.pci import scan

            self._pci_ids = scan(self)
        return self._pci_ids

    def finds_library(self, name: str) -> bool:
        from accel.loader import search

        return search(name, self) is not None

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        version = ".".join(str(part) for part in sys.version_info[:3])
        return sys.executable or None, version, tuple(sys.path), sys.prefix

    def seconds(self) -> float:
        import time

        return time.monotonic()
