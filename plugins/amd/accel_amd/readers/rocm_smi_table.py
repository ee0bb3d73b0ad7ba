"""rocm-smi's table, the "Concise Info".

    GPU  Temp (DieEdge)  AvgPwr  SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%                          to ROCm 5
    0    38.0c           22.0W   1725Mhz  1000Mhz  0%   auto  225.0W    0%   0%
    Device  Node  IDs              Temp    Power  Partitions          SCLK  MCLK   Fan  Perf  PwrCap  VRAM%  GPU%   6.x
                  (DID,     GUID)  (Edge)  (Avg)  (Mem, Compute, ID)
    0       1     0x73df,   55069  45.0°C  6.0W   N/A, N/A, 0         0Mhz  96Mhz  0%   auto  211.0W  12%    0%
ROCm 6.0 has "[0x0c34 : 0x00]" for Node and IDs, and the name, truncated to 20 characters, on a second line. Memory is a
share, so no bytes are known from here. Hygon's similar table starts with "HCU" or "DCU". Seen: ROCm 3 to 6.4.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.model import AmdDevice
from accel_amd.quantities import celsius, count, percent, watts, whole_lines, word
from accel_amd.record import gpu, reading

SOURCE: Final = "rocm-smi table"
_HEADER: Final = pattern(r"^\s*(?:GPU|Device)\s(?=.*\bTemp\b)(?=.*\bPerf\b).*\bGPU%")
_NO: Final = r"N/?A|unknown|[Uu]nsupported|None"
_ROW: Final = pattern(
    rf"^\s*(?P<index>\d{{1,4}})\s+"
    rf"(?:\[[^\]\n]*\]\s+|(?P<node>\d{{1,4}})\s+(?P<did>0x[0-9a-fA-F]{{1,4}}),\s*(?P<guid>\d{{1,10}})\s+)?"
    rf"(?P<temp>[\d.]+\s?[^\s\d.]{{0,3}}?[cC]|{_NO})\s+(?P<power>[\d.]+\s?W|{_NO})\s+"
    rf"(?:(?P<memory>[\w/]+),\s*(?P<compute>[\w/]+)(?:,\s*(?P<part>\d+|N/A))?\s+)?"
    rf"(?P<sclk>\d+\s?M[Hh]z|{_NO})\s+(?P<mclk>\d+\s?M[Hh]z|{_NO})\s+(?P<fan>[\d.]+\s?%|{_NO})\s+(?P<perf>[\w-]+"
    rf"|{_NO})\s+"
    rf"(?P<cap>[\d.]+\s?W|{_NO})\s+(?P<vram>[\d.]+\s?%|{_NO})\s+(?P<gpu>[\d.]+\s?%|{_NO})\s*$"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the complete rows."""
    found: dict[int, AmdDevice] = {}
    inside = junction = False
    for line in whole_lines(text):
        if _HEADER.match(line):
            inside, junction = True, "unction" in line
            continue
        junction = junction or (inside and "(Junction)" in line)
        row = _ROW.match(line) if inside else None
        if row is None:
            continue
        temperature = celsius(row["temp"])
        device = gpu(
            int(row["index"]),
            temperature_celsius=temperature,
            edge_temperature_celsius=None if junction else temperature,
            junction_temperature_celsius=temperature if junction else None,
            power_watts=watts(row["power"]),
            power_limit_watts=watts(row["cap"]),
            clock_sclk_mhz=count(row["sclk"]),
            clock_mclk_mhz=count(row["mclk"]),
            fan_percent=percent(row["fan"]),
            utilization_percent=percent(row["gpu"]),
            pci_id=f"1002:{int(row['did'], 16):04x}" if row["did"] else None,
            node_id=count(row["node"]),
            kfd_id=count(row["guid"]),
            compute_partition=word(row["compute"]),
            memory_partition=word(row["memory"]),
        )
        found.setdefault(device.index, device)
    if found:
        yield reading(SOURCE, 60, [found[index] for index in sorted(found)])


READER: Final = Reader(name=SOURCE, signs=("GPU%",), read=read)
