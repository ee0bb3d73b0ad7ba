"""Listings of device nodes with the user's groups: whether the user may open the nodes.

    crw-rw---- 1 root render 510, 0 Mar  3 10:00 /dev/kfd                      ls -l /dev/kfd
    crw-rw----+ 1 root 109 226, 128 Mar 3 10:00 renderD128                     a number: no such group in the container
    uid=1000(anna) gid=1000(anna) groups=1000(anna),27(sudo),44(video)         id
    $ groups / anna sudo video        anna : anna sudo video                   groups
    crw------- 1 root root 234, 0 Mar  3 10:00 /dev/kfd                        only root, whatever the groups
Silent if the groups are not shown, the user is root, or others may read and write. "+": an access list decides.
Noted  amd-node-closed for /dev/kfd; render-node-closed for /dev/dri, which other vendors' GPUs have too;
       edge-node-denied for /dev/accel and the nodes of edge devices (node, group, user_groups)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

_NODE: Final = pattern(
    r"^[ \t]*c(?P<mode>[rwxst-]{9})(?P<more>[.+@]?)[ \t]+\d+[ \t]+(?P<owner>[\w-]+)[ \t]+(?P<group>[\w-]+)[ \t]+"
    r"\d+,[ \t]*\d+[ \t][^\n]*?(?P<node>/dev/kfd|(?<![\w-])kfd|(?:/dev/dri/)?renderD\d+|"
    r"(?:/dev/accel/)?(?<![\w-])accel\d+|/dev/(?:hailo|apex_)\d+)[ \t]*$",
    re.MULTILINE,
)
_ID: Final = pattern(r"\buid=(?P<uid>\d{1,10})[^\n]{0,300}?\bgroups=(?P<groups>[^\s]{1,2000})")
_GROUPS: Final = pattern(
    r"(?:^|\n)[^\n]{0,80}[$#%>][ \t]*groups(?:[ \t]+[\w.-]+)?[ \t]*\n(?P<groups>[\w.: \t-]+)(?=\n|$)"
)


def _read(text: str) -> Iterator[Reading]:
    mine = _groups(text)
    if mine is None:
        found = (
            noted_at(_fact(hit["node"]), hit, READER.name, node=hit["node"], group=hit["group"])
            for hit in _NODE.finditer(text)
            if hit["mode"] == "rw-------" and hit["more"] != "+" and hit["owner"] == hit["group"] == "root"
        )
        yield from reading_of(READER.name, found)
        return
    groups = " ".join(sorted(mine))
    found = (
        noted_at(_fact(hit["node"]), hit, READER.name, node=hit["node"], group=hit["group"], user_groups=groups)
        for hit in _NODE.finditer(text)
        if hit["mode"][6:8] != "rw" and hit["more"] != "+"
        if hit["group"] not in mine and hit["owner"] not in mine - {"root"}
    )
    yield from reading_of(READER.name, found)


def _fact(node: str) -> str:
    if "renderD" in node:
        return "render-node-closed"
    return "amd-node-closed" if node.endswith("kfd") else "edge-node-denied"


def _groups(text: str) -> frozenset[str] | None:
    """Return the user's groups, by name and by number; None if they are not shown or the user is root."""
    if found := _ID.search(text):
        if found["uid"] == "0":
            return None
        return frozenset(re.findall(r"[A-Za-z_][\w-]*|\d+", found["groups"]))
    if found := _GROUPS.search(text):
        names = frozenset(found["groups"].rpartition(":")[2].split())
        return None if "root" in names else names
    return None


READER: Final = Reader(
    name="GPU node listing", signs=("kfd", "renderD", "accel", "/dev/hailo", "/dev/apex_"), read=_read
)
