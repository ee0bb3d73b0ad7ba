"""The "CPU:" section of torch's collect_env if it is not lscpu's: on Windows and macOS.

    CPU:                                             CPU:              CPU:
    Architecture=9                                   Name: AMD Ryzen…  Apple M2 Max
    Manufacturer=GenuineIntel                        Manufacturer: …
    Name=Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz    Architecture: 9

Seen: torch 2.0 to 2.8; wmic's "=" up to 2.5, PowerShell's ":" later.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.specs import load
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_cpu.model import CpuDevice
from accel_cpu.processor import maker, tidy

_SECTION: Final = pattern(
    r"^[ \t]*CPU:[ \t]*\n(?P<rows>(?:[ \t]*\S[^\n]*\n|[ \t]*\n(?=[ \t]*\w+[=:])){0,60}(?:[ \t]*\S[^\n]*)?)",
    re.MULTILINE,
)
_ROW: Final = pattern(
    r"^[ \t]*(?P<key>Name|Manufacturer|Architecture)[ \t]*[=:][ \t]*(?P<value>\S+(?:[ \t]+\S+)*)[ \t]*$", re.MULTILINE
)
_APPLE: Final = pattern(
    r"^[ \t]*(?P<name>Apple M\d\w*(?: +\w+)*|Intel\(R\)[^\s=:]*(?:[ \t]+[^\s=:]+)*)[ \t]*$", re.MULTILINE
)
_ARCHITECTURES: Final = {"0": "i686", "5": "arm", "9": "x86_64", "12": "aarch64"}  # Win32_Processor


def _read(text: str) -> Iterator[Reading]:
    section = _SECTION.search(text)
    if not section or "Model name:" in section["rows"]:
        return
    rows = {found["key"]: found["value"] for found in reversed(list(_ROW.finditer(section["rows"])))}
    name, vendor, architecture = None, None, None
    apple = _APPLE.match(section["rows"])
    if rows.get("Name"):
        name = tidy(rows["Name"])
        vendor = maker(rows.get("Manufacturer"), load().table("cpu/makers") or {})
        architecture = _ARCHITECTURES.get(rows.get("Architecture", ""))
    elif apple:
        name = tidy(apple["name"])
        vendor = "Apple" if apple["name"].startswith("Apple") else "Intel"
    if name is None:
        return
    device = CpuDevice(
        id="cpu:0",
        index=0,
        backend="cpu",
        vendor=vendor or "unknown",
        kind="cpu",
        name=name,
        architecture=architecture,
    )
    report = Report(backend="cpu", source=READER.name, trust=30, devices=(device,))
    yield Reading(source=READER.name, reports=(report,), first_line=line_at(text, section.start()))


READER: Final = Reader(name="collect_env CPU section", signs=("CPU:",), read=_read)
