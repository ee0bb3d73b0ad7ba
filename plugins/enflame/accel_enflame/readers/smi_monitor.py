"""The lines of `efsmi dmon` and of its like: a moment of each device.

    *Dev Pwr    DTemp  Sip    DUsed  Dpm     MUsed  Mem    Mclk   TxPci   RxPci
    *Idx W      C      %      %      L       %      MiB    MHz    MiB/s   MiB/s
    0    101    36     0.0    0.0    Sleep   84.1   42976  7000   0       0

Seen    1.4. The last line of a device counts. What is used of the memory is a rounded rate, so no bytes follow from it.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_enflame import VENDOR
from accel_enflame.model import EnflameDevice

SOURCE: Final = "efsmi dmon"
_HEAD: Final = pattern(r"\s*[*#]\s*Dev\s(?=.*\bDUsed\b).*")


def read(text: str) -> Iterator[Reading]:
    """Yield the devices of the lines under the heading."""
    names: list[str] = []
    found: dict[int, EnflameDevice] = {}
    lines: list[int] = []
    for number, line in lines_of(text):
        words = line.split()
        if _HEAD.fullmatch(line):
            names = [word.lstrip("*#") for word in words if word.strip("*#")]
        elif names and words and not line.lstrip().startswith(("*", "#")):
            index = a.count(words[0])
            if index is None or len(words) != len(names) or index > 999:
                names = []
                continue
            found[index] = _device(index, dict(zip(names, words, strict=True)))
            lines.append(number)
    if found:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=52, devices=tuple(found[i] for i in sorted(found)))
        yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


def _device(index: int, row: dict[str, str]) -> EnflameDevice:
    return VENDOR.device(
        index,
        power_watts=a.number(row.get("Pwr")),
        temperature_celsius=a.number(row.get("DTemp")),
        utilization_percent=a.number(row.get("DUsed")),
        memory_total_bytes=a.capacity(row.get("Mem")),
        power_mode=a.word(row.get("Dpm") or row.get("Lpm")),
    )


READER: Final = Reader(name=SOURCE, signs=("DUsed",), read=read)
