"""A process's user, and the permissions of its nodes: `id`, runAsUser, --user; `ls -l` of the nodes.

    uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)       runAsUser: 65534       docker run --user 1001
    crw-rw---- 1 HwHiAiUser HwHiAiUser 236, 0 Mar  7 10:21 /dev/davinci0

`id NAME` describes that account, not the process: it is noted with asked=NAME. `id -u` prints only the number;
`whoami` and `groups` print names, and the number is then not known ("?alice").
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

_SOURCE: Final = "identity"
_ID: Final = pattern(
    r"\buid=(\d{1,10})(?:\(([\w.-]{1,64})\))?\s+gid=(\d{1,10})(?:\(([\w.-]{1,64})\))?(?:\s+(?:groups|组|组)=(\S{1,400}))?"
)
_ASKED: Final = pattern(r"(?:^|[$#>]\s{0,3})id\s+(?!-)([A-Za-z][\w.-]{0,60})\s*$")
_NUMBER_ASKED: Final = pattern(r"(?:^|[$#>]\s{0,3})id\s+-u\s*$")
_WHO: Final = pattern(r"(?:^|[$#>]\s{0,3})whoami\s*$")
_GROUPS: Final = pattern(r"(?:^|[$#>]\s{0,3})groups\s*$")
_NAMES: Final = pattern(r"\s*(?:([\w.-]{1,64}) : )?([\w.-]{1,64}(?: [\w.-]{1,64}){0,40})\s*")
_RUN_AS: Final = pattern(r"\b(?:runAsUser\W{1,4}|--user[= ]|-u )(\d{1,10})(?::(\d{1,10}))?\b", re.IGNORECASE)
_RUN_AS_GROUP: Final = pattern(r"\b(?:runAsGroup|fsGroup|--group-add)\W{1,4}(\d{1,10})\b", re.IGNORECASE)
_NODE: Final = pattern(
    r"^\W{0,4}c([r-][w-][x-])([r-][w-][x-])([r-][w-][x-])[.+@]?\s+(?:\d+\s+)?(\S{1,64})\s+(\S{1,64})\s.*?"
    r"(/dev/)?((?:davinci\w{1,20}|devmm_svm|hisi_hdc))\s*$"
)
_DROPPED: Final = pattern(
    r"--cap-drop[= ](?:ALL|DAC_OVERRIDE)|drop:\s{0,9}(?:\[\s{0,9})?[\"']?ALL|capabilities are dropped"
    r"|without CAP_DAC_OVERRIDE|CapEff:\s{0,9}0{16}|"
    r"cap_drop",
    re.IGNORECASE,
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of users and nodes."""
    lines = text.splitlines()
    yield from reading_of(_SOURCE, (*_identities(lines), *_nodes(lines)))


def _identities(lines: list[str]) -> Iterator[Noted]:
    asked: str | None = None
    user: str | None = None
    number_next = name_next = groups_next = False
    for number, line in enumerate(lines, 1):
        if _DROPPED.search(line):
            yield _noted("capabilities-dropped", line, number)
        if number_next and line.strip().isdecimal():
            yield _noted("process-identity", line, number, uid=line.strip())
        told = _NAMES.fullmatch(line) if name_next or groups_next else None
        if told and name_next:
            user = told[2] if " " not in told[2] else None
        if told and groups_next:
            user = told[1] or user
            uid = "0" if user == "root" else f"?{user or ''}"
            yield _noted("process-identity", line, number, uid=uid, user=user, group_names=told[2])
        name_next, groups_next = bool(_WHO.search(line)), bool(_GROUPS.search(line))
        number_next = bool(_NUMBER_ASKED.search(line))
        if named := _ASKED.search(line):
            asked = named[1]
        for one in _ID.finditer(line):
            groups = re.findall(r"(\d+)(?:\(([\w.-]+)\))?", one[5] or "")
            yield _noted(
                "process-identity",
                line,
                number,
                uid=one[1],
                user=one[2],
                gid=one[3],
                group=one[4],
                groups=" ".join(g for g, _ in groups),
                group_names=" ".join(filter(None, (one[4], *(n for _, n in groups)))),
                asked=asked if asked is not None and asked == one[2] else None,
            )
            asked = None
        group = _RUN_AS_GROUP.search(line)
        for one in _RUN_AS.finditer(line):
            yield _noted("process-identity", line, number, uid=one[1], gid=one[2], groups=group[1] if group else None)


def _nodes(lines: list[str]) -> Iterator[Noted]:
    for number, line in enumerate(lines, 1):
        if found := _NODE.match(line):
            mode = "".join(
                str((part[0] == "r") * 4 + (part[1] == "w") * 2 + (part[2] == "x")) for part in found.groups()[:3]
            )
            yield _noted(
                "npu-node-listed",
                line,
                number,
                path=f"/dev/{found[7]}",
                mode=mode,
                owner=found[4],
                group_owner=found[5],
            )


def _noted(fact: str, line: str, number: int, **values: str | None) -> Noted:
    return noted(fact, line, _SOURCE, number, **values)


READER: Final = Reader(
    name=_SOURCE,
    signs=(
        "davinci",
        "devmm_svm",
        "hisi_hdc",
        "uid=",
        "id -u",
        "runAsUser",
        "--user",
        "--cap-drop",
        "cap_drop",
        "groups",
    ),
    read=read,
)
