"""The output of `xpu-smi discovery -j`: a list, or with -d N one device with all its properties.

    {"device_list": [{"device_id": 0, "device_name": "Intel(R) Data Center GPU Max 1100", "device_type": "GPU",
      "pci_bdf_address": "0000:29:00.0", "pci_device_id": "0xbda", "uuid": "00000000-0000-0029-0000-002f0bda8086",
      "vendor_name": "Intel(R) Corporation"}]}
    {"device_id": 0, "device_name": "…", "memory_physical_size_byte": "51522830336", "number_of_tiles": "1", …}

Seen: xpu-smi 1.0 to 1.3.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.text.json_values import json_values
from accel.vendors.contract.backend import Reader, Reading
from accel_intel.readers.xpu_smi_discovery import reading

_KEY: Final = '"device_name"'
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
    found: dict[int, dict[str, str]] = {}
    first = None
    for value, line in json_values(text, "{", _KEY):
        for entry in _entries(value):
            facts = _facts(entry)
            index = entry.get("device_id")
            if isinstance(index, int) and 0 <= index < 1000 and not isinstance(index, bool):
                first = first or line
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
    if memory.isascii() and memory.isdecimal() and int(memory) > 0:
        facts["Memory Physical Size"] = f"{int(memory) / 2**10:.3f} KiB"
    return facts


READER: Final = Reader(name="xpu-smi JSON", signs=(_KEY,), read=_read)
