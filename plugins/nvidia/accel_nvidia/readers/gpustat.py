"""The lines printed by gpustat.

    node-7                Thu Jan 18 10:11:12 2024  535.129.03
    [0] NVIDIA A100-SXM4-80GB | 34°C,   0 % |  1024 / 81920 MB | alice(512M) bob(512M)
    [1] GeForce RTX 2080 Ti   | 71'C,  38 %,  97 %,  250 / 250 W | 10989 / 11019 MB | carol:python/4242(10979M)

Seen    gpustat 0.4 to 1.1: "'C" and "°C", with and without fan, power and users; "??" for unreadable values.
        MB are MiB.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.device import Process
from accel.model.report import Driver
from accel.text.amounts import mebibytes
from accel.text.amounts import number as amount
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, is_foreign, reading

SOURCE: Final = "gpustat"
TRUST: Final = 45
_ROW: Final = pattern(
    r"^\s*\[(\d+)\] ([^\s|]+(?:\s+[^\s|]+)*)\s*\|([^|]*)\|\s*(\d+|\?\?)\s*/\s*(\d+|\?\?)\s*M(?:i?B)?\s*(?:\|(.*))?$"
)
_HEADER: Final = pattern(r"^\S+\s+\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}\s+(\d{3}\.\d+(?:\.\d+)?)\s*$")
_PROCESS: Final = pattern(r"([\w.-]+):([^\s/(]+)/(\d+)\((\d+)M\)")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading; the power is after the load, the fan before it."""
    version: str | None = None
    devices = {}
    lines: list[int] = []
    for number, line in lines_of(text):
        if found := _HEADER.match(line):
            version = version or found[1]
        row = _ROW.match(line)
        if row is None or is_foreign(row[2]):
            continue
        temperature = re.search(r"(\d+)\s*[°']\s*[Cc]", row[3])
        percents = [amount(cell) for cell in row[3].split(",") if cell.rstrip().endswith("%")]
        watts = next((cell.rstrip()[:-1] for cell in row[3].split(",") if cell.rstrip().upper().endswith("W")), "")
        drawn, _, limit = watts.partition("/")
        held = _PROCESS.findall(row[6] or "")
        devices[int(row[1])] = gpu(
            int(row[1]),
            name=full_name(row[2]),
            driver_version=version,
            temperature_celsius=float(temperature[1]) if temperature else None,
            utilization_percent=percents[-1] if percents else None,
            fan_percent=percents[0] if len(percents) > 1 else None,
            power_watts=amount(drawn),
            power_limit_watts=amount(limit),
            memory_used_bytes=mebibytes(row[4]),
            memory_total_bytes=mebibytes(row[5]),
            processes=tuple(
                Process(pid=int(pid), name=name, user=user, memory_bytes=mebibytes(size))
                for user, name, pid, size in held
            )
            or None,
        )
        lines.append(number)
    if devices:
        driver = Driver(version=version) if version else None
        yield reading(SOURCE, TRUST, devices=list(devices.values()), driver=driver, lines=(lines[0], lines[-1]))


READER: Final = Reader(name=SOURCE, signs=("[0] ", "[1] "), read=read)
