"""The device nodes that `ls -l /dev/nvidia*` lists, with their owners and modes.

    crw-rw-rw- 1 root root 195,   0 Dec 25 00:06 /dev/nvidia0
    crw-rw----+ 1 root video 195, 255 12月 25 08:06 nvidiactl                        within the folder; any language
    crw-rw-rw-. 1 root root system_u:object_r:xserver_misc_device_t:s0 195, 0 Dec  2 20:11 /dev/nvidia0      ls -lZ
    crw-rw---- 1 root render 510, 0 Sep 18 10:51 /dev/kfd      AMD's, Coral's, Hailo's
    /dev/nvidia0  /dev/nvidiactl  /dev/nvidia-modeset                                plain ls: only the paths

Notes   device-node-listed, or other-node-listed for other makers' (path, and from a long listing mode "crw-rw----",
        owner, group, major, minor; label of SELinux)
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "ls -l /dev"
_NODE: Final = pattern(
    r"(?:^|\s)(?P<mode>c[rwxsStT-]{9})[.+@]?\s+\d+\s+(?P<owner>\S+)\s+(?P<group>\S+)\s+"
    r"(?:(?P<label>[a-z_]{1,30}:[a-z_]{1,30}:[a-z_]{1,60}:s0\S{0,40})\s+)?(?P<major>\d+),\s*(?P<minor>\d+)"
    r"\s+\S{1,40}(?:\s+\S{1,40}){0,3}?\s(?P<path>/dev/\S{0,80}?nvidia\S{0,80}|/dev/(?:kfd|apex_\d|hailo\d)|nvidia(?:\d+|ctl|-\S+))\s*$"
)

_PATHS: Final = pattern(r"^\s*(?:/dev/nvidia(?:\d{1,2}|ctl|-[a-z-]{2,20})\s*){2,40}$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that notes each node."""
    found: list[Noted] = []
    for number, line in enumerate(text.splitlines(), 1):
        if node := _NODE.search(line):
            path = node["path"] if node["path"].startswith("/") else f"/dev/{node['path']}"
            own = "nvidia" in path
            fact = "device-node-listed" if own else "other-node-listed"
            found.append(noted(fact, line, SOURCE, number, **(node.groupdict() | {"path": path})))
        elif _PATHS.match(line):
            found += [noted("device-node-listed", line, SOURCE, number, path=path) for path in line.split()]
    yield from reading_of(SOURCE, found)


READER: Final = Reader(
    name=SOURCE,
    signs=("nvidia0", "nvidiactl", "nvidia-uvm", "/dev/nvidia", "/dev/kfd", "/dev/apex", "/dev/hailo"),
    read=read,
)
