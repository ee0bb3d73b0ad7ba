"""amd-smi's output with --json: list, static, metric, monitor, process.

    [{"gpu": 0, "usage": {"gfx_activity": {"value": 42, "unit": "%"}, …}}, …]           to 25.x
    {"gpu_data": [{"gpu": 0, "usage": …}]}                                              26.x; process stays a list
"N/A" can stand for an object. `-w` prints a line of prose first. Seen: amd-smi 23 to 26, complete and truncated.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.vendors.contract.backend import Reader, Reading
from accel_amd.amd_smi_facts import SECTIONS, device
from accel_amd.json_text import json_values
from accel_amd.model import AmdDevice
from accel_amd.quantities import lower_keys
from accel_amd.record import joined_by_index, reading

SOURCE: Final = "amd-smi JSON"
_FLAT: Final = frozenset({"power_usage", "hotspot_temperature", "gfx_clk", "gfx_util", "vram_used", "vram_total"})


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that combines all answers in the text for each GPU."""
    rocr_names = '"GPU-' not in text and " GPU-" in text
    found: list[AmdDevice] = []
    for value in json_values(text):
        for entry in _entries(lower_keys(value)):
            if entry.keys() & (SECTIONS | _FLAT):
                known = device(entry, rocr_names)
                if known is not None:
                    found.append(known)
    devices = joined_by_index(found)
    if devices:
        driver = next((d.driver_version for d in devices if d.driver_version), None)
        yield reading(SOURCE, 65, devices, driver=driver)


def _entries(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if "gpu" in value:
            yield value
        else:
            yield from _entries(value.get("gpu_data"))
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield from _entries(item)


READER: Final = Reader(name=SOURCE, signs=('"gpu"',), read=read)
