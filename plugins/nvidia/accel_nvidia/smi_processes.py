"""The processes part of nvidia-smi's table.

    |  GPU   GI   CI        PID   Type   Process name                  GPU Memory |      since 450
    |    2   N/A  N/A   2111354      C   ...eratornet/venv/bin/python      818MiB |
    |  GPU       PID   Type   Process name                             Usage      |      361 to 440
    |    0      1043      G   /usr/lib/xorg/Xorg                           145MiB |
    |  GPU       PID  Process name                                     Usage      |      before
    |    0      2378  /usr/bin/X                                            25MiB |
    |  No running processes found                                                 |
    |    0            Not Supported                                               |

In a container this section has a header but no rows although processes run: they are then unknown.
"""

import re
from typing import Final

from accel.model.device import Process
from accel.text import amounts as a
from accel.text.pattern import pattern

_MEMORY: Final = r"(?:\s+(\d+\s?MiB|N/A|ERR!|\[?Not Available\]?|\[?Insufficient Permissions?\]?))?\s*$"
_WITH_INSTANCE: Final = pattern(
    r"^\s*(\d+)\s+(N/A|\d+)\s+(N/A|\d+)\s+(\d+)\s+(C\+G|M\+C|M\+C\+G|C|G|M|N/A)(?:\s+(\S+(?:\s+\S+)*?))??" + _MEMORY
)
_WITH_TYPE: Final = pattern(r"^\s*(\d+)\s+(\d+)\s+(C\+G|C|G)(?:\s+(\S+(?:\s+\S+)*?))??" + _MEMORY)
_PLAIN: Final = pattern(r"^\s*(\d+)\s+(\d+)(?:\s+(\S+(?:\s+\S+)*?))??" + _MEMORY)
_INSTANCES: Final = pattern(r"\bGI\s{1,9}CI\b")
_UNSUPPORTED: Final = pattern(r"^\s*(\d+)\s+(?:N/A\s+N/A\s+)?(?:\d+\s+)?\[?Not Supported")


class ProcessTable:
    """The rows read so far. A GPU without rows has no processes only if the section was read to its end."""

    def __init__(self) -> None:
        self._rows: dict[int, list[tuple[tuple[int | None, int | None], Process]]] = {}
        self._seen = self._none = self._closed = False
        self._with_instances = self._unread = False
        self._unsupported: set[int] = set()

    def begin(self) -> None:
        """Record that the section's title was read."""
        self._seen = True

    def take(self, line: str) -> bool:
        """Parse one line of the section; return False if it does not belong to it."""
        body = line.strip()
        if body.startswith("+"):
            self._closed = bool(self._rows or self._none)
            return True
        if "|" not in body:
            return False
        inner = line[line.index("|") + 1 :].rstrip()
        inner = inner[:-1] if inner.endswith("|") else inner
        if re.search(r"(?i)no running .*process", inner):
            self._none = True
        elif found := _UNSUPPORTED.match(inner):
            self._unsupported.add(int(found[1]))
        else:
            self._add(inner)
        return True

    def _add(self, inner: str) -> None:
        self._with_instances = self._with_instances or bool(_INSTANCES.search(inner))
        if found := _WITH_INSTANCE.match(inner):
            index, instance, compute, pid, _, name, memory = found.groups()
        elif self._with_instances:  # a number is missing, and it is unknown which
            self._unread = self._unread or any(sign.isdecimal() for sign in inner)
            return
        elif found := _WITH_TYPE.match(inner):
            (index, pid, _, name, memory), instance, compute = found.groups(), None, None
        elif found := _PLAIN.match(inner):
            (index, pid, name, memory), instance, compute = found.groups(), None, None
        else:
            return
        process = Process(pid=int(pid), name=a.word(name), memory_bytes=a.mebibytes(memory))
        self._rows.setdefault(int(index), []).append(((a.whole(instance), a.whole(compute)), process))

    def of(self, index: int, instance: tuple[int, int] | None = None) -> tuple[Process, ...] | None:
        """Return a GPU's processes, or those of one (GPU instance, compute instance); None if they are unknown."""
        if not self._seen or index in self._unsupported:
            return None
        rows = self._rows.get(index, [])
        if not rows and (self._unread or not (self._none or self._closed)):
            return None
        return tuple(process for ids, process in rows if instance is None or ids == instance)
