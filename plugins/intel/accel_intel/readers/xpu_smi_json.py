"""The answer of `xpu-smi discovery -j`: a list, or with -d N one device with all its properties.

    {"device_list": [{"device_id": 0, "device_name": "Intel(R) Data Center GPU Max 1100", "device_type": "GPU",
      "pci_bdf_address": "0000:29:00.0", "pci_device_id": "0xbda", "uuid": "00000000-0000-0029-0000-002f0bda8086",
      "vendor_name": "Intel(R) Corporation"}]}
    {"device_id": 0, "device_name": "…", "memory_physical_size_byte": "51522830336", "number_of_tiles": "1", …}

Seen: xpu-smi 1.0 to 1.3.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.contract.backend import Reader, Reading
from accel.text.lines import line_at
from accel_intel.readers.xpu_smi_discovery import reading

_KEY: Final = '"device_name"'
_MOST_TRIES: Final = 100  # a text may hold other JSON, and cut JSON
_NAMES: Final = {
    "device_name": "Device Name",
    "vendor_name": "Vendor Name",
    "uuid": "UUID",
    "serial_number": "Serial Number",
    "pci_bdf_address": "PCI BDF Address",
    "pci_device_id": "PCI Device ID",
    "driver_version": "Driver Version",
    "gfx_firmware_version": "GFX Firmware Version",
    "number_of_tiles": "Number of Tiles",
    "number_of_eus": "Number of EUs",
    "drm_device": "DRM Device",
    "device_function_type": "Function Type",
}


def _read(text: str) -> Iterator[Reading]:
    decoder = json.JSONDecoder()
    end = tried = 0
    found: dict[int, dict[str, str]] = {}
    first = None
    for start in re.finditer(r"^[^\"{\n]*\{", text, re.MULTILINE):
        at = start.end() - 1
        if at < end:
            continue
        if tried >= _MOST_TRIES or text.find(_KEY, at) < 0:
            break
        tried += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        for entry in _entries(value):
            facts = _facts(entry)
            index = entry.get("device_id")
            if isinstance(index, int) and 0 <= index < 1000 and not isinstance(index, bool):
                first = first or line_at(text, at)
                found[index] = {**found.get(index, {}), **facts}
    yield from reading(found, READER.name, first)


def _entries(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, dict):
        return []
    listed = value.get("device_list")
    entries = listed if isinstance(listed, list) else [value]
    return [e for e in entries if isinstance(e, dict) and isinstance(e.get("device_name"), str)]


def _facts(entry: Mapping[str, Any]) -> dict[str, str]:
    facts = {name: str(entry[key]) for key, name in _NAMES.items() if entry.get(key) not in (None, "")}
    memory = str(entry.get("memory_physical_size_byte", ""))
    if memory.isascii() and memory.isdigit() and int(memory) > 0:
        facts["Memory Physical Size"] = f"{int(memory) / 2**10:.3f} KiB"
    return facts


READER: Final = Reader(name="xpu-smi JSON", signs=(_KEY,), read=_read)
