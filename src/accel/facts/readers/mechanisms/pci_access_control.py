"""Read access control (ACS) of PCIe ports from lspci -vvv: whether peer requests are redirected through the root.

    0000:40:01.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge
            ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

    nvme 0000:03:00.0: ACS redirect is set between the client and provider (0000:06:00.0)         the kernel's p2pdma

The capability (ACSCap) says what a port can do, the control (ACSCtl) what it does. SrcValid+ alone redirects nothing.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_CONTROL: Final = pattern(r"(?i)\bACSCtl:\s{0,4}(?P<flags>(?:[A-Za-z]{4,20}[+-]\s{0,4}){1,10})")
_SAID: Final = pattern(
    r"(?i)\b(?:Req|Cmplt)Redir\+"
)  # a flag that somebody quotes: "ACS was on (ReqRedir+ CmpltRedir+)"
_WORDS: Final = pattern(
    r"(?i)\bACS redirect(?:ion)? is (?:set|enabled|on)\b|\bto disable ACS redirect for this path\b"
)  # the kernel's p2pdma, and tools that ask it
_HEX: Final = pattern(r"(?i)\bACSCtl?\b\D{0,20}0x(?P<bits>[0-9a-f]{4})\b")
_PORT: Final = pattern(r"(?i)^\s{0,8}(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s")
_REDIRECTS: Final = 0x000C  # P2P request redirect and completion redirect, of the control register


def recognise(page: Page) -> Iterator[Noted]:
    """Yield one observation per port that redirects."""
    if not {"acsctl", "acs"} & page.words.places.keys():
        return
    from accel.text.amounts import pci_address  # few texts show these flags

    port: str | None = None
    for number, line in enumerate(page.lines, 1):
        if found := _PORT.match(line):
            port = pci_address(found["address"])
        control = _CONTROL.search(line)
        if control:
            flags = control["flags"].lower()
            redirects = "reqredir+" in flags or "cmpltredir+" in flags
        elif "acs" in line.lower() and (_SAID.search(line) or _WORDS.search(line)):
            redirects = True
        elif bits := _HEX.search(line):
            redirects = bool(int(bits["bits"], 16) & _REDIRECTS)
        else:
            continue
        if redirects:
            yield Noted(
                fact="peer-requests-redirected", values=(("port", port),) if port else (), **page.on_line(number)
            )
