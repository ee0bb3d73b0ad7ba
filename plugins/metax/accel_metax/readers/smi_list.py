"""The lists of `mx-smi -L` and of `mx-smi --show-unavailable-reason`.

    GPU#0    MXC500      0000:0e:00.0   Available (UUID: GPU-7a2f0d3e-41c6-52b8-9c1d-0a5b6c7d8e9f)
    GPU#1    MXC500      0000:0f:00.0   Not Available(MetaX Sysfs File Unaccessible)

Seen    2.2.9, 2.3.1. A line without state and uuid heads a block of a query. Another maker's tool prints such lines
        too, so the name must be MetaX's.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import broken_line, lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_metax import VENDOR
from accel_metax.model import MetaxDevice
from accel_metax.state import health_of, state_and_reason

SOURCE: Final = "mx-smi -L"
_LINE: Final = pattern(
    r"\s*GPU\s*#?(\d{1,3}):?\s+((?:MX|MetaX)\S*(?: \S+)*?)\s+([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])"
    r"\s+(?:([A-Za-z]\w*(?: +\w+)*(?:\s*\((?!UUID)[^()]*\))?)\s*)?(?:\(UUID:\s*([\w-]+)\)\s*)?"
)

_STATES: Final = ("Available", "Not Available")


def read(text: str) -> Iterator[Reading]:
    """Yield the GPUs of the list."""
    found: dict[int, MetaxDevice] = {}
    lines: list[int] = []
    broken = broken_line(text)
    for number, line in lines_of(text):
        row = _LINE.fullmatch(line + " ")
        if row is None or not (row[4] or row[5]):
            continue
        state, reason = state_and_reason(row[4]) if row[4] else (None, None)
        if number == broken and state not in _STATES:
            state = None  # the text breaks off in it
        lines.append(number)
        found[int(row[1])] = VENDOR.device(
            int(row[1]),
            name=a.word(row[2]),
            pci_address=a.pci_address(row[3]),
            uuid=row[5],
            state=state,
            state_reason=reason,
            health=health_of(state),
        )
    if found:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=57, devices=tuple(found[i] for i in sorted(found)))
        yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


READER: Final = Reader(name=SOURCE, signs=("GPU#", "(UUID:"), read=read)
