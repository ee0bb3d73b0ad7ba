"""Intel GPUs in the list of `sycl-ls`.

    [level_zero:gpu][level_zero:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770 Graphics 12.55.8 [1.3.29735]
    [ext_oneapi_level_zero:gpu:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770 Graphics 1.3 [1.3.25593]    2022, 2023
    [opencl:gpu][opencl:1] Intel(R) OpenCL Graphics, Intel(R) Arc(TM) A770 Graphics OpenCL 3.0 NEO [24.22.29735]

The same GPU is listed once per runtime: Level Zero entries count, and OpenCL entries only if there is no
other. With the FLAT hierarchy, SYCL's default from 2024.1 on, each tile of a Max 1550 has a line. Memory is not in the
list.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_intel.model import BACKEND, IntelDevice, intel_gpu, with_product

_LINE: Final = pattern(
    r"^\s*\[(?:ext_oneapi_)?(?P<runtime>level_zero|opencl):gpu(?::(?P<old>\d+))?\](?:\[\w+:(?P<new>\d+)\])?"
    r"(?P<platform>[^,\n]*),\s*(?P<name>\S+(?:\s+\S+)*?)\s+(?:OpenCL [\d.]+(?: NEO)?|\d{1,9}"
    r"(?:\.\d{1,9}){1,6})\s*\[(?P<version>[\w.+]+)"
)
_ID: Final = pattern(r"\[0x([0-9a-f]{4})\]")


def _read(text: str) -> Iterator[Reading]:
    rows = [(found, n) for n, line in enumerate(text.splitlines(), 1) if (found := _LINE.match(line))]
    rows = [(row, n) for row, n in rows if "intel" in f"{row['platform']} {row['name']}".lower()]
    own = [(row, n) for row, n in rows if row["runtime"] == "level_zero"] or rows
    devices: dict[int, IntelDevice] = {}
    for position, (row, _) in enumerate(own):
        index = int(row["new"] or row["old"] or position) if row["runtime"] == "level_zero" else position
        number = _ID.search(row["name"].lower())
        device = replace(intel_gpu(index), name=row["name"], pci_id=f"8086:{number[1]}" if number else None)
        devices.setdefault(index, with_product(device))
    if devices:
        report = Report(
            backend=BACKEND,
            source=READER.name,
            trust=45,
            driver=Driver(library_version=own[0][0]["version"]),
            devices=tuple(devices.values()),
        )
        yield Reading(source=READER.name, reports=(report,), first_line=own[0][1])


READER: Final = Reader(name="sycl-ls", signs=("level_zero:gpu", "opencl:gpu"), read=_read)
