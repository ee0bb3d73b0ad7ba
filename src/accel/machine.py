"""The one door to the world: files, commands, libraries, environment, clock.

Everything that touches the machine takes a `Machine`. LiveMachine is this one; RecordedMachine is a
folder that answers instead, so that whole commands run in tests on machines that are not here.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command did. exit_code None: it never ended (timed_out) or never began (missing)."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    missing: bool = False


class Machine(Protocol):
    """The world, as far as accel asks about it. File methods raise OSError like the functions they stand for."""

    environment: Mapping[str, str]

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

    def run(self, argv: Sequence[str], timeout_seconds: float) -> CommandResult:
        """Run a command in its own process group, its language set to C, with nothing on stdin; never raises."""
        ...

    def library(self, name: str) -> "ctypes.CDLL | None":
        """Load a shared library into this process; None if the loader does not find it."""
        ...

    def finds_library(self, name: str) -> bool:
        """Say whether the loader would find a library, without loading it."""
        ...

    def seconds(self) -> float:
        """Return a monotonic clock."""
        ...


class LiveMachine:
    """This machine."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment: Mapping[str, str] = os.environ if environment is None else environment

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

    def run(self, argv: Sequence[str], timeout_seconds: float) -> CommandResult:
        from accel.command import run  # subprocess is slow to import

        return run(argv, timeout_seconds, self.environment)

    def library(self, name: str) -> "ctypes.CDLL | None":
        import ctypes

        try:
            return ctypes.CDLL(name)
        except OSError:
            return None

    def finds_library(self, name: str) -> bool:
        from accel.loader import search

        return search(name, self) is not None

    def seconds(self) -> float:
        import time

        return time.monotonic()
