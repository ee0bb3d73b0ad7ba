"""lscpu, alone or as the "CPU:" section of torch's collect_env on Linux.

    Architecture:                       x86_64
    CPU(s):                             64
    Vendor ID:                          GenuineIntel
    Model name:                         Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz
    Thread(s) per core:                 2
    Core(s) per socket:                 32            aarch64 may write "Core(s) per cluster" and "Cluster(s)"
    Socket(s):                          1             or "-"
    NUMA node(s):                       2
    Flags:                              fpu … avx512f …

Seen: util-linux 2.27 to 2.40; newer ones indent the lines below the vendor.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.report import Report
from accel.specs import load
from accel.text.amounts import word
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_cpu.model import CpuDevice
from accel_cpu.processor import maker, tidy, vector_units

_KEYS: Final = (
    "Architecture",
    "CPU(s)",
    "Vendor ID",
    "Model name",
    "Thread(s) per core",
    "Core(s) per socket",
    "Socket(s)",
    "NUMA node(s)",
    "Flags",
)
_ROW: Final = pattern(
    rf"^[ \t]*(?P<key>{'|'.join(re.escape(key) for key in _KEYS)}):[ \t]+(?P<value>\S+(?:[ \t]+\S+)*)[ \t]*$",
    re.MULTILINE,
)


def _read(text: str) -> Iterator[Reading]:
    rows: dict[str, str] = {}
    first = None
    for found in _ROW.finditer(text):
        first = found.start() if first is None else first
        rows.setdefault(found["key"], found["value"])
    if "Model name" not in rows or "CPU(s)" not in rows:
        return
    report = Report(backend="cpu", source=READER.name, trust=30, devices=(_device(rows),))
    yield Reading(source=READER.name, reports=(report,), first_line=line_at(text, first or 0))


def _device(rows: Mapping[str, str]) -> CpuDevice:
    sockets, cores = _number(rows.get("Socket(s)")), _number(rows.get("Core(s) per socket"))
    flags = rows.get("Flags")
    return CpuDevice(
        id="cpu:0",
        index=0,
        backend="cpu",
        vendor=maker(rows.get("Vendor ID"), load().table("cpu/makers") or {}) or "unknown",
        kind="cpu",
        name=tidy(rows["Model name"]),
        architecture=word(rows.get("Architecture")),
        sockets=sockets,
        cores_physical=sockets * cores if sockets and cores else None,
        threads=_number(rows.get("CPU(s)")),
        numa_nodes=_number(rows.get("NUMA node(s)")),
        vector_units=vector_units(flags.split()) if flags else None,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"\d{1,6}", text) and int(text) else None


READER: Final = Reader(name="lscpu", signs=("Model name:",), read=_read)
