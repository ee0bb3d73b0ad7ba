"""amd-smi's and rocm-smi's output with --csv: one line per GPU, with the JSON's keys without sections.

    gpu,gfx_activity,umc_activity,mm_activity,socket_power,…          amd-smi: gpu is a number
    0,42,1,0,171,…
    device,Unique ID,Temperature (Sensor edge) (C),…                  rocm-smi: card0, card1, …
    card0,0x79ccd55167a2124a,53.0,…
amd-smi's columns have no units: memory is in MB. Seen: amd-smi 23 to 26, rocm-smi of ROCm 4 to 6.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd import amd_smi_facts, rocm_smi_facts
from accel_amd.model import AmdDevice
from accel_amd.quantities import whole_lines
from accel_amd.record import joined_by_index, reading

SOURCE: Final = "amd-smi CSV"
_HEADER: Final = pattern(r"^\s*(gpu|device),[\w (),%.:/-]{4,4000}$")
_KNOWN: Final = frozenset(
    {
        "bdf", "gpu_bdf", "uuid", "gpu_uuid", "kfd_id", "market_name", "gfx_activity", "umc_activity", "socket_power",
        "power_usage", "current_socket_power", "average_socket_power", "hotspot", "hotspot_temperature", "edge",
        "total_vram", "vram_total", "vram_used", "used_vram", "pid", "gfx_util",
    }
)  # fmt: skip
_ROCM: Final = pattern(r"(?i)graphics package power|sensor (?:edge|junction)|vram total|card series|gpu use \(%\)")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that combines all tables in the text for each GPU."""
    import csv

    found: list[AmdDevice] = []
    header: list[str] = []
    for line in whole_lines(text):
        start = _HEADER.match(line)
        cells = next(csv.reader([line.strip()])) if start is not None or header else []
        if start is not None:
            header = [cell.strip().lower() for cell in cells]
            known = _KNOWN & set(header) if start[1] == "gpu" else _ROCM.search(line)
            header = header if known else []
        elif header and len(cells) == len(header):
            known_device = _device(dict(zip(header, cells, strict=True)))
            if known_device is not None:
                found.append(known_device)
        else:
            header = []
    devices = joined_by_index(found)
    if devices:
        yield reading(SOURCE, 62, devices)


def _device(row: dict[str, Any]) -> AmdDevice | None:
    if "device" in row:
        return rocm_smi_facts.device(row.pop("device"), row)
    if "max_power" in row and "socket_power" in row:  # `static` has the limit under the name of the reading
        limit = row.pop("socket_power")
        row["limit"] = {"socket_power": limit}
    if "pid" in row:
        row = {"gpu": row.get("gpu"), "process_list": [row]}
    return amd_smi_facts.device(row)


READER: Final = Reader(name=SOURCE, signs=("gpu,", "device,"), read=read)
