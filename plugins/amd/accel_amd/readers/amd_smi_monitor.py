"""amd-smi's monitor table: one line per GPU or partition; the columns depend on the options.

    GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK  VRAM_USED  VRAM_TOTAL           to 6.3
      0  171 W     32 °C     33 °C       0 %    114 MHz       0 %    900 MHz     283 MB   196300 MB
    GPU  XCP  POWER  PWR_CAP   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%      VRAM_USAGE            later
      0    0  171 W    750 W   32 °C   33 °C   114 MHz    0 %    0 %    N/A    N/A    0.3/191.7 GB

    PROCESS INFO:
    GPU                  NAME      PID  GTT_MEM  CPU_MEM  VRAM_MEM  MEM_USAGE     GFX     ENC
      0                   rvs  1564865    0.0 B    0.0 B    1.1 GB      0.0 B    0 ns    0 ns
A line counts if it has a cell for each column. The temperature is that of the hot spot. Seen: ROCm 5.7 to 7.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Process
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.model import AmdDevice
from accel_amd.quantities import celsius, count, percent, size_bytes, watts, whole_lines, word
from accel_amd.record import gpu, reading

SOURCE: Final = "amd-smi monitor"
_HEADER: Final = pattern(r"^\s*(?:TIMESTAMP\s+)?GPU\s+(?:[A-Z][A-Z0-9_%]+\s+)*[A-Z][A-Z0-9_%]+\s*$")
_COLUMNS: Final = frozenset(
    {"POWER", "GPU_TEMP", "GPU_T", "MEM_TEMP", "MEM_T", "VRAM_USED", "VRAM_USAGE", "GFX_UTIL", "GFX%", "GFX_CLK",
     "GFX_CLOCK", "VRAM_TOTAL", "PCIE_BW", "SINGLE_ECC"}
)  # fmt: skip
_UNIT: Final = r"(?:W|\S{0,2}°?[CF]|%|[kKMG]?[Hh]z|MHz|[KMGT]?i?[Bb](?:/s)?|ns|ms|m?V|J)"
_CELL: Final = pattern(
    rf"N/A(?:[ ]{_UNIT}(?=\s|$))?|[\d.]+\s*/\s*[\d.]+(?:[ ]?{_UNIT}(?=\s|$))?|[\d.]+(?:[ ]?{_UNIT}(?=\s|$))?|\S+"
)
_SIZE: Final = r"(?:[\d.]+ [KMGT]?B|N/A)"
_PROCESS: Final = pattern(
    rf"^\s*(\d{{1,4}})\s+(\S+(?:\s+\S+)*?)\s+(\d{{1,10}})\s+{_SIZE}\s+{_SIZE}\s+({_SIZE})(?:\s|$)"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the complete lines."""
    found: dict[int, AmdDevice] = {}
    processes: dict[int, list[Process]] = {}
    columns: list[str] = []
    listing = False
    for line in whole_lines(text):
        if _HEADER.match(line):
            words = line.upper().split()
            listing = "PID" in words and "NAME" in words
            columns = words if not listing and _COLUMNS & set(words) else []
            continue
        if listing and (row := _PROCESS.match(line)) is not None:
            name = word(row[2])
            process = Process(pid=int(row[3]), name=name, memory_bytes=size_bytes(row[4], "B"))
            processes.setdefault(int(row[1]), []).append(process)
        elif columns and line.strip():
            cells = [cell[0] for cell in _CELL.finditer(line.strip())]
            if len(cells) != len(columns):
                columns = columns if cells and cells[0].isdecimal() else []
                continue
            device = _device(dict(zip(columns, cells, strict=True)))
            if device is not None:
                found.setdefault(device.index, device)
    devices = [replace(d, processes=tuple(processes[i])) if i in processes else d for i, d in sorted(found.items())]
    if devices:
        yield reading(SOURCE, 60, devices)


def _device(row: Mapping[str, str]) -> AmdDevice | None:
    index = row["GPU"]
    if not index.isdecimal() or len(index) > 4 or int(row["XCP"] if row.get("XCP", "").isdecimal() else 0) > 0:
        return None  # with XCP, the further lines are the partitions of the GPU above
    temperature = celsius(row.get("GPU_TEMP", row.get("GPU_T")))
    used, _, total = row.get("VRAM_USAGE", "").partition("/")
    unit = total.split()[-1] if " " in total.strip() else "GB"
    return gpu(
        int(index),
        power_watts=watts(row.get("POWER")),
        power_limit_watts=watts(row.get("PWR_CAP", row.get("POWER_CAP"))),
        temperature_celsius=temperature,
        junction_temperature_celsius=temperature,
        memory_temperature_celsius=celsius(row.get("MEM_TEMP", row.get("MEM_T"))),
        utilization_percent=percent(row.get("GFX_UTIL", row.get("GFX%"))),
        memory_utilization_percent=percent(row.get("MEM_UTIL", row.get("MEM%"))),
        clock_sclk_mhz=count(row.get("GFX_CLOCK", row.get("GFX_CLK"))),
        clock_mclk_mhz=count(row.get("MEM_CLOCK", row.get("MEM_CLK"))),
        memory_used_bytes=size_bytes(row.get("VRAM_USED"), "MB") if "VRAM_USED" in row else size_bytes(used, unit),
        memory_total_bytes=size_bytes(row.get("VRAM_TOTAL"), "MB") if "VRAM_TOTAL" in row else size_bytes(total, unit),
        ecc_corrected=count(row.get("SINGLE_ECC")),
        ecc_uncorrected=count(row.get("DOUBLE_ECC")),
        pcie_replay_count=count(row.get("PCIE_REPLAY")),
    )


READER: Final = Reader(
    name=SOURCE, signs=("GPU_TEMP", "GPU_T", "VRAM_USED", "VRAM_USAGE", "GFX_UTIL", "GFX%", "GFX_CLK"), read=read
)
