"""Kernel messages that concern no device: processes killed for memory, and tasks that hang. Pure.

    Out of memory: Killed process 41877 (python3) total-vm:61220940kB, anon-rss:16580124kB …
    Memory cgroup out of memory: Killed process 77 (python) …
    INFO: task kworker/u65:2:5403 blocked for more than 120 seconds.
          Tainted: P           OE      6.8.0 …
     uvm_va_space_down_write+0x3c/0x60 [nvidia_uvm]
Notes   killed-for-memory (task, pid, by: "machine" or "group", ago: seconds)
        task-hung (task, pid, seconds, function, module, ago)
Seen    kernels 4.15 to 6.8
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

if TYPE_CHECKING:
    from accel.model.observation import Noted

SOURCE: Final = "kernel log"
_KILLED: Final = pattern(
    r"\b(Memory cgroup out|Out) of memory: Kill(?:ed)? process (\d{1,8}) \(([^)\n]{1,60})\)", exact_case=True
)
HUNG: Final = pattern(
    r"\btask (\S{1,60}):(\d{1,8}) (?:<[^>\n]{1,40}> )?(?:is )?blocked for more than (\d{1,6}) ?s", exact_case=True
)
_FRAME: Final = pattern(
    r"^ {0,8}(?:\? )?([A-Za-z_][\w.]{2,80})\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}(?: \[(\w{1,60})\])?", exact_case=True
)
_MOST_STACK: Final = 40
_MOST: Final = 40


def events(lines: Sequence[str], ages: Sequence[int | None] | None = None) -> "Iterator[Noted]":
    """Yield the events in the lines, each with its line, from 1. ages: seconds since each line was logged, if known."""
    found = 0
    for number, line in enumerate(lines, 1):
        age = ages[number - 1] if ages is not None else None
        ago = None if age is None else str(age)
        if found >= _MOST:
            return
        if "of memory: Kill" in line and (hit := _KILLED.search(line)):
            by = "group" if hit[1].startswith("Memory") else "machine"
            yield noted("killed-for-memory", line, SOURCE, number, task=hit[3], pid=hit[2], by=by, ago=ago)
            found += 1
        elif "blocked for more than" in line and (hit := HUNG.search(line)):
            function, module = _waits_in(lines[number : number + _MOST_STACK])
            told = {
                "task": hit[1],
                "pid": hit[2],
                "seconds": hit[3],
                "function": function,
                "module": module,
                "ago": ago,
            }
            yield noted("task-hung", line, SOURCE, number, **told)
            found += 1


def _waits_in(lines: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first function of a module on the stack below a hung task, and the module."""
    for line in lines:
        if HUNG.search(line):
            break
        frame = _FRAME.match(line)
        if frame is not None and frame[2]:
            return frame[1], frame[2]
    return None, None
