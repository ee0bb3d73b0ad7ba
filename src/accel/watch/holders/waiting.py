"""Where in the kernel an unresponsive process waits: the first driver function on its stack.

/proc/<pid>/stack   "[<0>] uvm_va_space_down_write+0x3c/0x60 [nvidia_uvm]"   root only; the module is in brackets
/proc/<pid>/wchan   "rpc_wait_bit_killable"; "0" if it does not wait, or if this user may not know
If a process's first thread has ended, the first other blocked thread is used.
Source  Linux: Documentation/filesystems/proc.rst
"""

import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.machine.process_stat import process_stat
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_FRAME: Final = pattern(
    r"^\[<[0-9a-f]{1,16}>\] (\w[\w.]{0,120})\+0x[0-9a-f/x]{1,40}(?: \[(\w{1,60})\])?$", re.MULTILINE, exact_case=True
)
_MOST_THREADS: Final = 256
_WAYS_IN: Final = (
    "__switch_to",
    "schedule",
    "__schedule",
    "io_schedule",
    "schedule_timeout",
    "rwsem_",
    "__down",
    "down_",
)


def waits_in(machine: "Machine", pid: int) -> tuple[str | None, str | None]:
    """Return the function that a blocked process waits in, and its module; None for unknown parts."""
    for folder in (f"/proc/{pid}", *blocked_threads(machine, pid)):
        frames = _FRAME.findall(file_text(machine, f"{folder}/stack") or "")
        drivers = [(function, module) for function, module in frames if module]
        if drivers:
            return drivers[0]
        told = next((function for function, _ in frames if not function.startswith(_WAYS_IN)), None)
        told = told or file_text(machine, f"{folder}/wchan")
        if told and told != "0":
            return told, None
    return None, None


def blocked_threads(machine: "Machine", pid: int) -> "list[str]":
    """Return the folders of the other threads in uninterruptible sleep."""
    threads = (name for name in names_in(machine, f"/proc/{pid}/task")[:_MOST_THREADS] if name != str(pid))
    return [folder for name in threads if is_uninterruptible(machine, folder := f"/proc/{pid}/task/{name}")]


def is_uninterruptible(machine: "Machine", folder: str) -> bool:
    """Return whether the process or thread with this folder is in uninterruptible sleep."""
    stat = process_stat(machine, folder)
    return stat is not None and stat.state == "D"
