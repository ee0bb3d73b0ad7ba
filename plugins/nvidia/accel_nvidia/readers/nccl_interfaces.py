"""The network interfaces that NCCL, or RCCL, uses for its sockets.

NCCL INFO NET/Socket : Using [0]bond0:10.0.0.1<0> [1]br-05ab815fa14e:172.19.0.1<0> [2]veth61:fe80::b8%veth61<0>

Noted   nccl-bridges-used if some of several are local to the machine (specs/system/local_interfaces.yaml):
        interface, the first of the others; bridges, their names
Source  NCCL: src/transport/net_socket.cc
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from accel.specs import load
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

SOURCE: Final = "NCCL interfaces"
_LIST: Final = pattern(r"NET/Socket : Using(?:\s{1,40}\[\d{1,3}\][\w.-]{1,40}:[\w.:%-]{1,80}<\d{1,6}>){2,64}")
_ONE: Final = pattern(r"\[\d{1,3}\](?P<name>[\w.-]{1,40}):")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading for each list of interfaces, of which some are local and some are not."""
    local = (load().table("system/local_interfaces") or {}).get("names", ())
    for match in _LIST.finditer(text):
        names = [one["name"] for one in _ONE.finditer(match[0])]
        others = [name for name in names if not any(fnmatchcase(name, form) for form in local)]
        bridges = [name for name in names if name not in others]
        if others and bridges:
            yield from reading_of(
                SOURCE,
                [noted_at("nccl-bridges-used", match, SOURCE, interface=others[0], bridges=", ".join(bridges[:3]))],
            )


READER: Final = Reader(name=SOURCE, signs=("NET/Socket : Using",), read=read)
