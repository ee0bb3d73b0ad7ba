"""Read a machine's network interfaces from ip, ifconfig and nmcli.

2: ens5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9001 qdisc mq state UP         ip address, ip link
ens5             UP             172.31.4.9/20                                  ip -brief address
eno1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500                     ifconfig
eth0      Link encap:Ethernet  HWaddr 0c:42:a1:…                               ifconfig, older
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_FORMS: Final = (
    pattern(r"^\s{0,20}\d{1,4}: (?P<name>[\w.-]{1,15})(?:@[\w.-]{1,15})?: <[A-Z_,]{0,200}>"),
    pattern(r"^\s{0,20}(?P<name>[\w.-]{1,15}): flags=\d"),
    pattern(r"^\s{0,20}(?P<name>[\w.-]{1,15})\s{1,12}Link encap:"),
    pattern(r"^\s{0,20}(?P<name>[a-z][\w.-]{1,14})(?:@[\w.-]{1,15})?\s{2,30}(?:UP|DOWN|UNKNOWN)\s{2,30}(?:[0-9a-f]|$)"),
)
_SIGNS: Final = frozenset(("mtu", "encap", "flags", "up", "unknown"))


def recognise(page: Page) -> Iterator[Noted]:
    """Yield one observation for each interface listed."""
    if not _SIGNS & page.words.places.keys():
        return
    for number, line in enumerate(page.lines, 1):
        if line and len(line) < 400:
            found = next((hit for form in _FORMS if (hit := form.search(line))), None)
            if found:
                yield Noted(fact="network-interface", values=(("name", found["name"]),), **page.on_line(number))
