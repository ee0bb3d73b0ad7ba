"""`npu-smi info -t current-fault-event -i N`: the active alarms.

    Fault Event Count              : 1
    Fault Event Information        : event id=0x81AF8000, severity=2, node type ex=215, node id=0, …

Seen   in the vendor's documents for 950. Severity: 0 note, 1 minor, 2 major, 3 critical.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at
from accel_ascend.chips import BACKEND

_SOURCE: Final = "npu-smi info -t current-fault-event"
_EVENT: Final = pattern(r"event id\s*=\s*0x([0-9A-Fa-f]{8}),\s*severity\s*=\s*(\d)")


def read(text: str) -> Iterator[Reading]:
    """Yield a fact "npu-fault-event" per alarm."""
    alarms = tuple(
        noted_at("npu-fault-event", hit, _SOURCE, code=hit[1].upper(), severity=hit[2]) for hit in _EVENT.finditer(text)
    )
    if alarms:
        report = Report(backend=BACKEND, source=_SOURCE, trust=62, observations=alarms)
        yield Reading(source=_SOURCE, reports=(report,), first_line=alarms[0].line)


READER: Final = Reader(name=_SOURCE, signs=("Fault Event Information",), read=read)
