"""The text of `system_profiler SPDisplaysDataType`, alone or within a whole system report.

    Graphics/Displays:

        Apple M1 Max:                                       AMD Radeon Pro 5500M:

          Chipset Model: Apple M1 Max                         Chipset Model: AMD Radeon Pro 5500M
          Type: GPU                                           Type: GPU
          Bus: Built-In                                       Bus: PCIe
          Total Number of Cores: 32                           VRAM (Total): 8 GB
          Vendor: Apple (0x106b)                              Vendor: AMD (0x1002)
          Metal Support: Metal 3                              Device ID: 0x7340
          Displays:                                           Metal Support: Metal 3

Seen: macOS 10.12 to 26. "VRAM (Dynamic, Max)" is the share of the machine's memory that an Intel GPU may use. 11 and 12
write "Metal Family: Supported, Metal GPUFamily Apple 7", before it was "Metal: Supported, feature set …". Displays
below a GPU are not GPUs themselves. The memory of an Apple GPU is the machine's: "Memory: 32 GB" of the hardware
overview.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.amounts import size_bytes
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_apple.model import BACKEND, AppleDevice, apple_gpu, metal_of

_MODEL: Final = pattern(r"^(?P<blanks>[ \t>]*)Chipset Model:\s*(?P<name>\S+(?:\s+\S+)*)\s*$")
_PAIR: Final = pattern(r"^[ \t>]*(?P<key>[A-Z][\w ()/,-]{0,40}?):(?P<value>.*)$")
_CHIP: Final = pattern(r"^[ \t>]*Chip:\s*(?P<name>Apple \S+(?:\s+\S+)*)\s*$")
_MEMORY: Final = pattern(r"^[ \t>]*Memory:\s*(?P<size>\d+(?:\.\d+)? [GT]B)\s*$")
_FACTS: Final = (
    "Type",
    "Bus",
    "Vendor",
    "Device ID",
    "Total Number of Cores",
    "VRAM (Total)",
    "VRAM (Dynamic, Max)",
    "VRAM (Shared)",
    "Metal",
    "Metal Family",
    "Metal Support",
)


def _read(text: str) -> Iterator[Reading]:
    found: list[tuple[str, dict[str, str]]] = []
    chip: str | None = None
    memory: int | None = None
    first = None
    reading = False
    for number, line in enumerate(text.splitlines(), 1):
        model = _MODEL.match(line)
        if model:
            found.append((model["name"], {}))
            first, reading = first or number, True
            continue
        overview, size = _CHIP.match(line), _MEMORY.match(line)
        chip = overview["name"] if overview else chip
        memory = size_bytes(size["size"]) if size and memory is None else memory
        pair = _PAIR.match(line)
        if not reading or not pair:
            continue
        value = pair["value"].strip()
        if not value:
            reading = False  # "Displays:", or the heading of the next GPU or section
        elif pair["key"] in _FACTS:
            found[-1][1].setdefault(pair["key"], value)
    devices = tuple(_device(index, name, facts) for index, (name, facts) in enumerate(found))
    devices = tuple(
        replace(device, unified_memory_bytes=memory) if device.vendor == "Apple" and device.name == chip else device
        for device in devices
    )
    if devices:
        report = Report(backend=BACKEND, source=READER.name, trust=60, devices=devices)
        yield Reading(source=READER.name, reports=(report,), first_line=first)


def _device(index: int, name: str, facts: Mapping[str, str]) -> AppleDevice:
    metal = facts.get("Metal Support") or facts.get("Metal Family") or facts.get("Metal")
    cores = facts.get("Total Number of Cores", "")
    memory = facts.get("VRAM (Total)") or facts.get("VRAM (Dynamic, Max)") or facts.get("VRAM (Shared)")
    counted = int(cores) if cores.isascii() and cores.isdecimal() and len(cores) < 6 else None
    return replace(
        apple_gpu(index, name, facts.get("Vendor"), facts.get("Device ID")),
        memory_total_bytes=size_bytes(memory),
        core_count=counted,
        multiprocessors=counted,
        metal=metal,
        metal_supported=metal_of(metal),
        bus=facts.get("Bus"),
    )


READER: Final = Reader(name="system_profiler displays", signs=("Chipset Model:",), read=_read)
