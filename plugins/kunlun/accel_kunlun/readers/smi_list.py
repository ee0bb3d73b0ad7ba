"""The list of `xpu-smi -L`.

    XPU 0: P800 OAM  GPU-3b8d1f2a-c4a8-5bb5-9431-0a1b2c3d4e5f

Seen    5.0.21; with "(UUID: …)" too. A uuid that the text breaks off in is none.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import broken_line, lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_kunlun import VENDOR
from accel_kunlun.model import KunlunDevice

SOURCE: Final = "xpu-smi -L"
_LINE: Final = pattern(
    r"\s*XPU\s+(\d{1,3}):\s+([^\s()]+(?:\s+[^\s()]+)*)\s+\(?(?:UUID:\s*)?((?:GPU|XPU)-[\w-]{8,})(\))?\s*"
)
_LENGTH: Final = len("GPU-") + 36


def read(text: str) -> Iterator[Reading]:
    """Yield the XPUs of the list."""
    found: dict[int, KunlunDevice] = {}
    lines: list[int] = []
    broken = broken_line(text)
    for number, line in lines_of(text):
        if row := _LINE.fullmatch(line):
            whole = row[4] or number != broken or len(row[3]) == _LENGTH
            found[int(row[1])] = VENDOR.device(int(row[1]), name=a.word(row[2]), uuid=row[3] if whole else None)
            lines.append(number)
    if found:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=55, devices=tuple(found[i] for i in sorted(found)))
        yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


READER: Final = Reader(name=SOURCE, signs=("XPU ",), read=read)
