"""Another driver that claims an NVIDIA GPU, as the kernel's log says it.

    nouveau 0000:01:00.0: NVIDIA GP104 (134000a1)

Seen    kernels 3.10 to 6.14. What the NVIDIA driver itself logs is read by kernel_xid, kernel_bus and kernel_hang.
Events  nouveau (pci)
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Event
from accel.text.pattern import pattern
from accel_nvidia.found import reading

SOURCE: Final = "kernel log"
TRUST: Final = 60
_NOUVEAU: Final = pattern(r"\bnouveau ([0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]):")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with one event for each GPU."""
    events: dict[str, Event] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if (named := _NOUVEAU.search(line)) and named[1] not in events:
            values = (("pci", named[1].lower()),)
            message = line.strip()[:400]
            events[named[1]] = Event(name="nouveau", message=message, values=values, source=SOURCE, line=number)
    if events:
        lines = [event.line or 1 for event in events.values()]
        yield reading(SOURCE, TRUST, events=events.values(), lines=(lines[0], lines[-1]))


READER: Final = Reader(name="nouveau in the kernel log", signs=("nouveau ",), read=read)
