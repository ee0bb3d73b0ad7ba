"""The output of `system_profiler -json SPDisplaysDataType`, alone or with more data types.

    {"SPDisplaysDataType": [{"_name": "Apple M1 Max", "sppci_model": "Apple M1 Max", "sppci_cores": "32",
      "sppci_bus": "spdisplays_builtin", "sppci_device_type": "spdisplays_gpu",
      "spdisplays_vendor": "sppci_vendor_Apple", "spdisplays_mtlgpufamilysupport": "spdisplays_metal3",
      "spdisplays_ndrvs": [{"_name": "Color LCD"}]}],
     "SPHardwareDataType": [{"chip_type": "Apple M1 Max", "physical_memory": "32 GB"}]}

Seen: macOS 10.15 to 26. A card has "spdisplays_vram": "8 GB", an Intel GPU "spdisplays_vram_shared": "1536 MB", both
with "spdisplays_vendor": "AMD (0x1002)" or "sppci_vendor_amd", and "spdisplays_device-id": "0x7340".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.amounts import size_bytes, word
from accel.text.json_values import json_values
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_apple.model import BACKEND, AppleDevice, apple_gpu, metal_of

_KEY: Final = '"SPDisplaysDataType"'
_METAL: Final = pattern(r"metal[ _-]?(\d+)", re.IGNORECASE)


def _read(text: str) -> Iterator[Reading]:
    for document, line in json_values(text, "{", _KEY):
        entries = document.get("SPDisplaysDataType")
        named = [e for e in entries if isinstance(e, dict) and _name(e)] if isinstance(entries, list) else []
        devices = tuple(_device(index, entry, document) for index, entry in enumerate(named))
        if devices:
            report = Report(backend=BACKEND, source=READER.name, trust=65, devices=devices)
            yield Reading(source=READER.name, reports=(report,), first_line=line)


def _name(entry: Mapping[str, Any]) -> str | None:
    name = entry.get("sppci_model") or entry.get("_name")
    return name if isinstance(name, str) and name.strip() else None


def _text(entry: Mapping[str, Any], key: str) -> str | None:
    value = entry.get(key)
    return word(value) if isinstance(value, str) else None


def _device(index: int, entry: Mapping[str, Any], document: Mapping[str, Any]) -> AppleDevice:
    metal = _text(entry, "spdisplays_mtlgpufamilysupport") or _text(entry, "spdisplays_metal")
    metal = metal or _text(entry, "spdisplays_metalfamily")
    cores = str(entry.get("sppci_cores", ""))
    bus = (_text(entry, "sppci_bus") or "").removeprefix("spdisplays_").removesuffix("_device")
    device = apple_gpu(
        index, _name(entry) or "", _text(entry, "spdisplays_vendor"), _text(entry, "spdisplays_device-id")
    )
    counted = int(cores) if cores.isascii() and cores.isdecimal() and len(cores) < 6 else None
    return replace(
        device,
        memory_total_bytes=size_bytes(entry.get("spdisplays_vram") or entry.get("spdisplays_vram_shared")),
        unified_memory_bytes=_unified(device, document),
        core_count=counted,
        multiprocessors=counted,
        metal=_metal(metal),
        metal_supported=metal_of(_metal(metal)),
        bus={"builtin": "Built-In", "pcie": "PCIe"}.get(bus, bus or None),
    )


def _metal(value: str | None) -> str | None:
    """Return "Metal 3" for "spdisplays_metal3"; else the words without their prefix."""
    if value is None:
        return None
    found = _METAL.search(value)
    return f"Metal {found[1]}" if found else value.removeprefix("spdisplays_").replace("_", " ")


def _unified(device: AppleDevice, document: Mapping[str, Any]) -> int | None:
    hardware = document.get("SPHardwareDataType")
    first = hardware[0] if isinstance(hardware, list) and hardware and isinstance(hardware[0], dict) else {}
    return size_bytes(first.get("physical_memory")) if first.get("chip_type") == device.name else None


READER: Final = Reader(name="system_profiler displays (JSON)", signs=(_KEY,), read=_read)
