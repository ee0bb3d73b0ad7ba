"""A recorded machine with a fault, and the situations in which a plugin is tried on each machine besides it as it is.

The library is missing, the tool hangs, every node is closed. Commands that hang do not really wait: the result says
that the timeout expired.
"""

import errno
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from accel.machine.live import LiveMachine
from accel.machine.pci import scan
from accel.machine.recorded import RecordedMachine
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine


_PAGE: Final = 4096  # the kernel's own files are at most this large, and are read whole
_IDENTITY: Final = ("vendor", "device", "class", "subsystem_vendor", "subsystem_device", "uevent", "revision")
_SYSTEM: Final = (
    "/etc/",
    "/proc/sys/",
    "/proc/meminfo",
    "/proc/version",
    "/proc/cpuinfo",
    "/proc/self/",
    "/sys/fs/cgroup/",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with a machine.

    commands  "missing", "hang", "fail" (exit code 255 and a sentence), "silent" (exit code 0, nothing printed),
              "cut" (the first `share` of their output), "garbage" (a page of unrelated text)
    files     "denied" (PermissionError, also for /proc listings and all nodes), "lost" (the error of a device that
              fell off its bus; the bus's own data stays), "gone" (nothing of the hardware), "cut"
    libraries False: the loader finds none
    """

    commands: Literal["as recorded", "missing", "hang", "fail", "silent", "cut", "garbage"] = "as recorded"
    files: Literal["as recorded", "denied", "lost", "gone", "cut"] = "as recorded"
    libraries: bool = True
    share: float = 1.0
    said: str = ""


def cut(text: str, share: float) -> str:
    """Return the first fraction of a text; for 0.5 or more it ends inside the next number of at least three digits.

    >>> cut("memory 65536 MiB, 2048 MiB", 0.5)
    'memory 65536 MiB, 20'
    """
    place = int(len(text) * share)
    number = re.compile(r"\d{3,}").search(text, place) if share >= 0.5 else None
    return text[: (number.start() + number.end()) // 2] if number else text[:place]


class FaultyMachine:
    """Wraps a Machine and answers as if it had a fault."""

    def __init__(self, machine: "Machine", fault: Fault) -> None:
        self._machine, self._fault = machine, fault
        self.environment: Mapping[str, str] = machine.environment
        self.system = machine.system

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        files = self._fault.files
        hardware = not path.startswith(_SYSTEM)
        if files == "denied" and hardware and self._machine.exists(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        if files == "lost" and hardware and path.rsplit("/", 1)[-1] not in _IDENTITY and self._machine.exists(path):
            raise OSError(errno.ENODEV, "No such device", path)
        if files == "gone" and hardware:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        text = self._machine.read(path, limit_bytes)
        return cut(text, self._fault.share) if files == "cut" and hardware and len(text) > _PAGE else text

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        return self._machine.read_bytes(path, offset, count)

    def size_bytes(self, path: str) -> int | None:
        return self._machine.size_bytes(path)

    def list(self, path: str) -> tuple[str, ...]:
        files = self._fault.files
        if files == "gone" and not f"{path}/".startswith(_SYSTEM):
            return ()
        if files == "denied" and path.startswith("/proc/") and self._machine.exists(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return self._machine.list(path)

    def exists(self, path: str) -> bool:
        if self._fault.files == "gone" and not path.startswith(_SYSTEM):
            return False
        return self._machine.exists(path)

    def accessible(self, path: str) -> bool:
        return self._fault.files not in ("denied", "lost", "gone") and self._machine.accessible(path)

    def link(self, path: str) -> str | None:
        return None if self._fault.files == "gone" else self._machine.link(path)

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        return self._machine.filesystem_bytes(path)

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        done = self._machine.run(argv, timeout_seconds)
        how = self._fault.commands
        if how == "as recorded" or done.missing:
            return done
        if how == "missing":
            error = f"[Errno 2] No such file or directory: {argv[0]!r}"
            return replace(done, exit_code=None, stdout="", stderr=error, missing=True)
        if how == "hang":
            return replace(done, exit_code=None, stdout="", stderr="", seconds=timeout_seconds, timed_out=True)
        if how == "fail":
            return replace(done, exit_code=255, stdout="", stderr=f"{self._fault.said}\n")
        if how == "silent":
            return replace(done, exit_code=0, stdout="", stderr="")
        if how == "garbage":
            return replace(done, exit_code=0, stdout=self._fault.said)
        return replace(done, stdout=cut(done.stdout, self._fault.share))

    def library(self, name: str) -> "ctypes.CDLL | None":
        return self._machine.library(name) if self._fault.libraries else None

    def pci_ids(self) -> frozenset[str]:
        return frozenset() if self._fault.files == "gone" else scan(self)

    def finds_library(self, name: str) -> bool:
        return self._fault.libraries and self._machine.finds_library(name)

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        return self._machine.interpreter()

    def seconds(self) -> float:
        return self._machine.seconds()


class EmptyMachine(RecordedMachine):
    """An empty machine: no bus, no node, no library, no command."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(os.devnull, {"environment": environment})


class EmptyLiveMachine(EmptyMachine, LiveMachine):
    """An empty LiveMachine: a plugin simulates devices only on a LiveMachine."""


GARBAGE: Final = """<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.24.0</center></body></html>
"""
LIBRARY_ABSENT: Final = "with the vendor's library absent"
DENIED: Final = "with permission denied on every file"
LOST: Final = "with the device lost"
ZERO: Final = "with no device left"
TOOL_MISSING: Final = "with its tool missing"
TOOL_HANGS: Final = "with its tool hanging"
TOOL_FAILS: Final = "with its tool failing"
CUT: Final = "with all output cut at {share:.0%}"
CUTS: Final = tuple(CUT.format(share=share) for share in (0.03, 0.3, 0.55, 0.8, 0.97))
FOREIGN: Final = "with its tool printing something else"

SITUATIONS: Final[dict[str, Fault]] = {
    LIBRARY_ABSENT: Fault(libraries=False),
    DENIED: Fault(files="denied", commands="fail", said="Permission denied"),
    LOST: Fault(files="lost", commands="fail", said="Unable to determine the device handle: the device is lost"),
    ZERO: Fault(files="gone", commands="silent"),
    TOOL_MISSING: Fault(commands="missing"),
    TOOL_HANGS: Fault(commands="hang"),
    TOOL_FAILS: Fault(commands="fail", said="error: cannot open the driver"),
    **{CUT.format(share=s): Fault(commands="cut", files="cut", share=s) for s in (0.03, 0.3, 0.55, 0.8, 0.97)},
    FOREIGN: Fault(commands="garbage", said=GARBAGE),
}
