"""Whether a process that is blocked in the kernel stays so: it is examined again after a second.

/proc/<pid>/status   "voluntary_ctxt_switches:	812", "nonvoluntary_ctxt_switches:	7": how often it stopped running
A process that waits for a disk is blocked too, but soon runs again. If a process's first thread has ended, its blocked
thread is examined.
"""

import re
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.machine.live import LiveMachine
from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.watch.holders.waiting import blocked_threads, is_uninterruptible

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.holding import RunningProcess

_APART_SECONDS: Final = 1.0
_SWITCHES: Final = pattern(r"^(?:non)?voluntary_ctxt_switches:\s{1,8}(\d{1,20})$", re.MULTILINE, exact_case=True)


def is_blocked(process: "RunningProcess") -> bool:
    """Return whether a process is blocked, or is a zombie with a thread that waits in the kernel."""
    return process.state == "blocked" or (process.state == "zombie" and process.waits_in is not None)


def confirmed(machine: "Machine", blocked: "Sequence[RunningProcess]") -> "Iterator[RunningProcess]":
    """Yield the processes with `stuck` set; does not wait if there are none."""
    before = {process.pid: _seen(machine, process.pid) for process in blocked}
    if before and isinstance(machine, LiveMachine):
        time.sleep(_APART_SECONDS)
    for process in blocked:
        seen = before[process.pid]
        yield replace(process, stuck=bool(seen) and _seen(machine, process.pid) == seen)


def _seen(machine: "Machine", pid: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each blocked thread with its context switch counts."""
    folders = [f"/proc/{pid}"] if is_uninterruptible(machine, f"/proc/{pid}") else []
    folders = folders or blocked_threads(machine, pid)
    return tuple((one, tuple(_SWITCHES.findall(file_text(machine, f"{one}/status") or ""))) for one in folders)
