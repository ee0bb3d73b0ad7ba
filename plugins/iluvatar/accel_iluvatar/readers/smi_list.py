"""The list of `ixsmi -L`.

    GPU 0: Iluvatar BI-V150 (UUID: GPU-5d0c2f7e-93aa-5b61-8f41-0c1d2e3f4a5b)

Seen    in reports of 3.2 and 4.x; the colon and the bracket are not in every version. nvidia-smi's list is the same
        but for the names, so the name must be Iluvatar's. A uuid that the text breaks off in is none.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import broken_line, lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_iluvatar import VENDOR
from accel_iluvatar.model import IluvatarDevice

SOURCE: Final = "ixsmi -L"
_LINE: Final = pattern(
    r"\s*GPU\s+(\d{1,3})(?:\s*:)?\s+((?:Iluvatar\b|(?:BI|MR|TG)-V?\d)[^()\s]*(?:\s+[^()\s]+)*?)(?:\s+\(?|\()"
    r"(?:UUID:\s*)?(GPU-[\w-]+)(\))?\s*"
)
_LENGTH: Final = len("GPU-") + 36


def read(text: str) -> Iterator[Reading]:
    """Yield the GPUs of the list."""
    found: dict[int, IluvatarDevice] = {}
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


READER: Final = Reader(name=SOURCE, signs=("Iluvatar", "BI-V", "MR-V", "TG-V"), read=read)
