"""The major numbers of NVIDIA's device nodes: the kernel's, and those in a container's configuration.

    509 nvidia-uvm                                   /proc/devices
        - path: /dev/nvidia-uvm                      /etc/cdi/nvidia.yaml
          major: 510
    lxc.cgroup2.devices.allow: c 510:* rwm           an LXC container's configuration, Proxmox's too

Notes   device-number (told_by "kernel", "description" or "allowed"; major, "*" for all; name, if given)
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "device numbers"
_KERNEL: Final = pattern(r"^\s{0,8}(?P<major>\d{1,4}) (?P<name>nvidia[\w-]{0,30})\s*$", exact_case=True)
_ALLOWED: Final = pattern(r"lxc\.cgroup2?\.devices\.allow\s{0,3}[:=]\s{0,3}(?:c\s{1,3}(?P<major>\d{1,4}|\*):|a\b)")
_NODE: Final = pattern(r"^\s{0,20}-?\s{0,8}path:\s{0,3}[\"']?/dev/(?P<name>nvidia[\w-]{0,30})[\"']?\s*$")
_MAJOR: Final = pattern(r"^\s{0,20}-?\s{0,8}major:\s{0,3}(?P<major>\d{1,4})\s*$")
_APART: Final = 4  # lines between a node's path and its number


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that notes each number."""
    found: list[Noted] = []
    node, since = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 200:
            continue
        if hit := _KERNEL.match(line):
            found.append(_noted(line, number, "kernel", hit["major"], hit["name"]))
        elif hit := _ALLOWED.search(line):
            found.append(_noted(line, number, "allowed", hit["major"] or "*", ""))
        elif hit := _NODE.match(line):
            node, since = hit["name"], number
        elif node and number - since <= _APART and (hit := _MAJOR.match(line)):
            found.append(_noted(line, number, "description", hit["major"], node))
            node = ""
    yield from reading_of(SOURCE, found)


def _noted(line: str, number: int, told_by: str, major: str, name: str) -> Noted:
    named = {"name": name} if name else {}
    return noted("device-number", line, SOURCE, number, told_by=told_by, major=major, **named)


READER: Final = Reader(name=SOURCE, signs=("nvidia", "devices.allow"), read=read)
