"""This machine: access to its files, commands, libraries, environment and clock."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.machine.outside import open_regular, read_up_to

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult

_PCI_SECONDS: Final = 1.0  # every backend asks for the bus, and boards come and go while a process lives


class LiveMachine:
    """This machine."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment: Mapping[str, str] = os.environ if environment is None else environment
        self.system: str = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
        self._pci_ids: tuple[float, frozenset[str]] | None = None  # with the time of the scan

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        _debug("read %s", path)
        if path == "/dev/kmsg":
            from accel.machine.kmsg import records

            return records(limit_bytes)
        with open_regular(path) as file:
            return read_up_to(file, limit_bytes).decode("utf-8", "replace")

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        with open_regular(path) as file:
            file.seek(offset)
            return file.read(count)

    def size_bytes(self, path: str) -> int | None:
        try:
            return os.stat(path).st_size
        except OSError:
            return None

    def list(self, path: str) -> tuple[str, ...]:
        _debug("list %s", path)
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
        from accel.machine.process import run

        result = run(argv, timeout_seconds, self.environment)
        ended = "timed out" if result.timed_out else "not there" if result.missing else f"ended with {result.exit_code}"
        _info("run %s: %s after %.0f ms", " ".join(argv), ended, result.seconds * 1000)
        return result

    def library(self, name: str) -> "ctypes.CDLL | None":
        import ctypes

        _info("load %s", name)
        try:
            return ctypes.CDLL(name)
        except OSError:
            return None

    def pci_ids(self) -> frozenset[str]:
        now = self.seconds()
        if self._pci_ids is None or now - self._pci_ids[0] > _PCI_SECONDS:
            from accel.machine.pci import scan

            self._pci_ids = now, scan(self)
        return self._pci_ids[1]

    def finds_library(self, name: str) -> bool:
        from accel.machine.libraries import search

        return search(name, self) is not None

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        version = ".".join(str(part) for part in sys.version_info[:3])
        return sys.executable or None, version, tuple(sys.path), sys.prefix

    def seconds(self) -> float:
        import time

        return time.monotonic()


def _info(message: str, *values: object) -> None:
    if logger := _logger():
        logger.info(message, *values)


def _debug(message: str, *values: object) -> None:
    if logger := _logger():
        logger.debug(message, *values)


def _logger() -> Any:
    """Return the logger if logging is in use in this process: importing logging can take longer than listing devices.

    None also while another thread is importing it.
    """
    make = getattr(sys.modules.get("logging"), "getLogger", None)
    return None if make is None else make("accel.machine")
