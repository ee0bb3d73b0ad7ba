"""The device nodes that `ls -l /dev/nvidia*` lists, with their owners and modes.

    crw-rw-rw- 1 root root 195,   0 Dec 25 00:06 /dev/nvidia0
    crw-rw----+ 1 root video 195, 255 12月 25 08:06 nvidiactl                        within the folder; any language
    ls: cannot access '/dev/nvidia*': No such file or directory

Events  device-node (path, mode "crw-rw----", owner, group, major, minor); device-node-missing (path)
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Event
from accel.text.pattern import pattern
from accel_nvidia.found import reading

SOURCE: Final = "ls -l /dev"
TRUST: Final = 50
_NODE: Final = pattern(
    r"(?:^|\s)(c[rwxsStT-]{9})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+(\d+),\s*(\d+)\s+\S.*?\s(/dev/\S*nvidia\S*|nvidia(?:\d+|ctl|-\S+))\s*$"
)
_MISSING: Final = pattern(r"cannot access ['\"‘]?(/dev/nvidia[^\s'\"’:]*)['\"’]?: No such file")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with an event for each node."""
    events: list[Event] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _NODE.search(line):
            mode, owner, group, major, minor, path = found.groups()
            values = (
                ("path", path if path.startswith("/") else f"/dev/{path}"),
                ("mode", mode),
                ("owner", owner),
                ("group", group),
                ("major", major),
                ("minor", minor),
            )
            events.append(Event(name="device-node", message=line.strip(), values=values, source=SOURCE, line=number))
        elif found := _MISSING.search(line):
            event = Event(
                name="device-node-missing",
                message=line.strip(),
                values=(("path", found[1]),),
                source=SOURCE,
                line=number,
            )
            events.append(event)
    if events:
        yield reading(SOURCE, TRUST, events=events, lines=(events[0].line or 1, events[-1].line or 1))


READER: Final = Reader(name=SOURCE, signs=("nvidia0", "nvidiactl", "nvidia-uvm", "/dev/nvidia"), read=read)
