"""The lines of `xpu-smi -m` for programs: 32 fields in version 5, the model's name in quotes.

    00000000:03:00.0 0 0 02K15K000CV00001 36 0 0 0 86 1450 … 2 96 90440 98304 0 1.0:2.6:1.39.1.7 "P800 OAM" 0 …

Fields  1 PCI address, 3 index, 4 serial, 5 Celsius, 9 power, 16 and 17 L3 used and total, 18 and 19 memory the same
        (MiB), 20 use in percent, 21 firmware, 22 model. Power is in watts in version 5, and in milliwatts in 4.33: no
        card draws 1500 W, so a larger number is milliwatts.
Seen    5.0.21 with P800; 4.33 with K200.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_kunlun import VENDOR
from accel_kunlun.model import KunlunDevice

SOURCE: Final = "xpu-smi -m"
_LINE: Final = pattern(
    r"\s*[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7] \d+ \d+ \w+(?: \S+){17} \"[^\"]{2,40}\"(?: \S+)*\s*"
)
_MOST_WATTS: Final = 1500


def read(text: str) -> Iterator[Reading]:
    """Yield the devices of the lines."""
    found: dict[int, KunlunDevice] = {}
    lines: list[int] = []
    for number, line in lines_of(text):
        if not _LINE.fullmatch(line):
            continue
        device = _device(line)
        if device is not None:
            found.setdefault(device.index, device)
            lines.append(number)
    if found:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=58, devices=tuple(found[i] for i in sorted(found)))
        yield Reading(source=SOURCE, reports=(report,), first_line=lines[0], last_line=lines[-1])


def _device(line: str) -> KunlunDevice | None:
    try:
        fields = shlex.split(line)
    except ValueError:
        return None
    index, power = a.count(fields[2]), a.number(fields[8])
    if index is None or len(fields) < 22:
        return None
    if power is not None and power > _MOST_WATTS:
        power /= 1000
    return VENDOR.device(
        index,
        name=a.word(fields[21]),
        serial=a.word(fields[3]),
        pci_address=a.pci_address(fields[0]),
        temperature_celsius=a.number(fields[4]),
        power_watts=power,
        l3_used_bytes=a.mebibytes(fields[15]),
        l3_total_bytes=a.capacity(fields[16]),
        memory_used_bytes=a.mebibytes(fields[17]),
        memory_total_bytes=a.capacity(fields[18]),
        utilization_percent=a.number(fields[19]),
        firmware_version=a.word(fields[20]),
    )


READER: Final = Reader(name=SOURCE, signs=(' "P', ' "K', ' "R', ' "S'), read=read)
