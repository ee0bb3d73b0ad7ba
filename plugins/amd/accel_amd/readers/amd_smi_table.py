"""amd-smi's default table.

    | AMD-SMI 26.2.1+fc0010cf6a    amdgpu version: 6.16.6   ROCm version: 7.2.0    |
    | BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
    | GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
    |=====================================+========================================|
    | 0000:03:00.0 ...Radeon AI PRO R9700 | 1 %      79 °C   0           103/300 W |
    |   0       0     N/A             N/A | 100 %   40.0 %          29777/32624 MB |
    …
    |  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
    |    0     213534  python3.12             5.9 MB   54.7 KB      0.0 B  N/A     |
Long names are truncated on the left. A fan cell can lack its sign. A partition's rows have no readings.
Seen: amd-smi 25.5 to 26.2.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Process
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.model import AmdDevice
from accel_amd.quantities import celsius, count, percent, product_name, size_bytes, watts, whole_lines, word
from accel_amd.record import gpu, reading

SOURCE: Final = "amd-smi table"
_HEADER: Final = pattern(r"amdgpu version: *(?P<driver>\d[\w.+~-]*)|ROCm version: *(?P<rocm>\d[\w.]*)")
_FIRST: Final = pattern(
    r"^\s*(?:\|\s*)?(?P<bdf>(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[01][0-9a-fA-F]\.[0-7])\s+(?P<name>[^\s|]+"
    r"(?:\s+[^\s|]+)*)\s*\|"
    r"\s*(?P<memory>[\d.]+|N/A)(?:\s*%)?\s+(?P<temp>[\d.]+|N/A)(?:\s*[^\w\s|]{0,3}C)?\s+(?P<uec>\d+|N/A)\s+"
    r"(?P<power>[\d.]+|N/A)(?:\s*/\s*(?P<cap>[\d.]+|N/A))?(?:\s*W)?\s*(?:\|\s*)?$"
)
_SECOND: Final = pattern(
    r"^\s*(?:\|\s*)?(?P<index>\d{1,4})\s+(?P<hip>\d+|N/A)\s+(?P<oam>\d+|N/A)\s+(?P<mode>[^\s|]{1,40}"
    r"(?:\s?/\s?[^\s|]{1,40})?)\s*\|"
    r"\s*(?P<gfx>[\d.]+|N/A)(?:\s*%)?\s+(?P<fan>[\d.]+|N/A)(?:\s*%)?\s+"
    r"(?P<used>[\d.]+|N/A)(?:\s*/\s*(?P<total>[\d.]+|N/A))?(?:\s*(?P<unit>[KMGT]i?B))?\s*(?:\|\s*)?$"
)
_SIZE: Final = r"(?:[\d.]+ [KMGT]?B|N/A)"
_PROCESS: Final = pattern(
    rf"^\s*(?:\|\s*)?(\d{{1,4}})\s+(\d{{1,10}})\s+(?!{_SIZE}\s)(\S+(?: \S+)*?)\s+{_SIZE}\s+({_SIZE})\s+{_SIZE}(?:\s|\|)"
)
_PARTS: Final = pattern(r"(?i)\b([SDTQC]PX)\b(?:\s{0,9}/)?(?:\s{0,9}(NPS\d))?")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs for which both lines are present."""
    driver: str | None = None
    rocm: str | None = None
    found: dict[int, AmdDevice] = {}
    processes: dict[int, list[Process]] | None = None
    above = None
    listing = ended = False
    for line in whole_lines(text):
        for part in _HEADER.finditer(line) if "version:" in line else ():
            driver, rocm = driver or part["driver"], rocm or part["rocm"]
        first, second = _FIRST.match(line), _SECOND.match(line)
        if second is not None and above is not None:
            device = _device(above, second, driver)
            found.setdefault(device.index, device)
        above = first
        if "Process Name" in line and "PID" in line:
            listing, processes = True, {}
        elif listing and processes is not None and not ended:
            row = _PROCESS.match(line)
            if row is not None:
                process = Process(pid=int(row[2]), name=word(row[3]), memory_bytes=size_bytes(row[4], "B"))
                processes.setdefault(int(row[1]), []).append(process)
            ended = line.strip().startswith("+--")
    if found:
        devices = [found[index] for index in sorted(found)]
        if processes is not None:  # a truncated list is incomplete
            known = processes
            devices = [
                replace(d, processes=tuple(known.get(d.index, ()))) if ended or d.index in known else d for d in devices
            ]
        yield reading(SOURCE, 60, devices, driver=driver, toolkit=rocm)


def _device(first: "re.Match[str]", second: "re.Match[str]", driver: str | None) -> AmdDevice:
    temperature = celsius(first["temp"])
    parts = _PARTS.search(second["mode"])
    unit = second["unit"] or "MB"
    return gpu(
        int(second["index"]),
        product_name(first["name"]),
        pci_address=pci_address(first["bdf"]),
        driver_version=driver,
        memory_utilization_percent=percent(first["memory"]),
        temperature_celsius=temperature,
        junction_temperature_celsius=temperature,
        ecc_uncorrected=count(first["uec"]),
        power_watts=watts(first["power"]),
        power_limit_watts=watts(first["cap"]),
        oam_id=count(second["oam"]),
        compute_partition=parts[1].upper() if parts else None,
        memory_partition=parts[2].upper() if parts and parts[2] else None,
        utilization_percent=percent(second["gfx"]),
        fan_percent=percent(second["fan"]),
        memory_used_bytes=size_bytes(second["used"], unit) if second["total"] else None,
        memory_total_bytes=size_bytes(second["total"], unit),
    )


READER: Final = Reader(name=SOURCE, signs=("AMD-SMI ", "HIP-ID", "GPU-Name", "Mem-Uti"), read=read)
