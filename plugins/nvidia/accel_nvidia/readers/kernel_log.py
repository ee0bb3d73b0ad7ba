"""What the kernel's log says of NVIDIA's devices and of the PCIe errors around them.

    NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
    NVRM: Xid (PCI:0000:01:00 GPU-I:05): 43, pid=4242, …                  a MIG instance
    nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 …
    NVRM: The NVIDIA GPU 0000:b3:00.0 / NVRM: (PCI ID: …) installed in this system has / NVRM: fallen off the bus …
    pcieport 0000:00:03.0: AER: Corrected error received: 0000:00:03.0
    nvidia 0000:3b:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)
    nouveau 0000:01:00.0: NVIDIA GP104 (134000a1)

Seen    drivers 331 to 610; kernels 3.10 to 6.14; Xid named by DCGM and the Kubernetes device plugin
        ("Xid=48") and in prose.
Events  xid (code, pci, text, process), sxid (code, pci, text), fell-off-the-bus (pci), pcie-aer (severity, device,
        type), nouveau (pci). Sentences without such values are in the message tables.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Event
from accel.text.pattern import pattern
from accel_nvidia.found import reading
from accel_nvidia.quantities import pci_address

SOURCE: Final = "kernel log"
TRUST: Final = 60
_XID: Final = pattern(r"\bXid \((?:PCI:)?([0-9A-Fa-f:.]+)(?: GPU-I:\w+)?\): (\d+)(?:, (.*))?")
_SXID: Final = pattern(r"\bSXid \((?:PCI:)?([0-9A-Fa-f:.]+)\): (\d+)(?:, (.*))?")
_SAID_XID: Final = pattern(r"(?i)\bXID(?:s| errors?| codes?| error codes?)?\s*(?:[:=#]\s*)?(\d{1,3})\b(?!\.\d)")
_DENIED: Final = pattern(r"(?i)\b(?:no|not|without|never|any|if|like|such as|e\.g\.)\b[^.]{0,30}$")
_PROCESS: Final = pattern(r"pid='?(\d+)'?(?:, name=([^,\s<]+))?")
_LOST: Final = pattern(
    r"(?:The NVIDIA GPU|GPU at(?: PCI:)?|NVIDIA GPU|GPU)\s+(?:PCI:)?"
    r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}(?:\.[0-7])?)"
    r"(?:(?!Xid|\bGPU at\b|The NVIDIA GPU)[\s\S]){0,160}?fallen\s+off\s+the\s+bus"
)
_AER_ROOT: Final = pattern(
    r"AER: (?:Multiple )?(Correct(?:ed|able)|Uncorrect(?:ed|able) \((?:Non-)?Fatal\)) error (?:message )?received"
    r"(?: from|:) (?:id=)?([0-9A-Fa-f:.]+)"
)
_AER_DEVICE: Final = pattern(
    r"([0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: "
    r"severity=(Correct(?:ed|able)|Uncorrect(?:ed|able) \((?:Non-)?Fatal\)), type=([\w ]+?)(?:,|$)"
)
_NOUVEAU: Final = pattern(r"\bnouveau ([0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]):")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the events of the whole text, in its order."""
    events: list[Event] = []
    nouveau: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        events += _xids(line, number)
        for found in _AER_ROOT.finditer(line):
            values = (("severity", _severity(found[1])), *_pairs(device=pci_address(found[2])))
            events.append(_event("pcie-aer", line, number, values))
        for found in _AER_DEVICE.finditer(line):
            values = (("severity", _severity(found[2])), ("device", found[1].lower()), ("type", found[3].strip()))
            events.append(_event("pcie-aer", line, number, values))
        if (named := _NOUVEAU.search(line)) and named[1] not in nouveau:
            nouveau.add(named[1])
            events.append(_event("nouveau", line, number, (("pci", named[1].lower()),)))
    for found in _LOST.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        values = _pairs(pci=pci_address(found[1]))
        events.append(_event("fell-off-the-bus", " ".join(found[0].split()), number, values))
    if events:
        events.sort(key=lambda event: event.line or 0)
        yield reading(SOURCE, TRUST, events=events, lines=(events[0].line or 1, events[-1].line or 1))


def _xids(line: str, number: int) -> Iterator[Event]:
    """Yield the Xids and SXids of a line; one that is only mentioned has a code and no address."""
    logged = False
    for name, form in (("sxid", _SXID), ("xid", _XID)):
        for found in form.finditer(line):
            logged = True
            detail = (found[3] or "").strip()
            values = _pairs(pci=pci_address(found[1]), code=str(int(found[2])), text=detail or None)
            if process := _PROCESS.search(detail):
                values += _pairs(pid=process[1], process=process[2])
            yield _event(name, line, number, values)
    if (
        not logged
        and (said := _SAID_XID.search(line))
        and 0 < int(said[1]) < 200
        and not _DENIED.search(line[: said.start()])
    ):
        yield _event("xid", line, number, (("code", said[1]),))


def _severity(words: str) -> str:
    """Return "corrected", "non-fatal" or "fatal"."""
    low = words.lower()
    if low.startswith("correct"):
        return "corrected"
    return "non-fatal" if "non-fatal" in low else "fatal"


def _pairs(**values: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in values.items() if value is not None)


def _event(name: str, message: str, line: int, values: tuple[tuple[str, str], ...]) -> Event:
    return Event(name=name, message=message.strip()[:400], values=values, source=SOURCE, line=line)


READER: Final = Reader(
    name=SOURCE, signs=("Xid", "XID", "xid ", "off the bus", "AER:", "PCIe Bus Error", "nouveau "), read=read
)
