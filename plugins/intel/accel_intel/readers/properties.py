"""Converts a GPU's properties, by xpu-smi's names, to a record; for its table, CSV and JSON."""

from collections.abc import Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel_intel.model import IntelDevice, intel_gpu, with_product

_ADDRESS: Final = pattern(r"^([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$")
_SIZE: Final = pattern(r"^(\d+(?:\.\d+)?)\s*([KMGT])i?B$")
_HEX: Final = pattern(r"^(?:0x)?([0-9a-f]{1,4})$")
_IN_NAME: Final = pattern(r"\[0x([0-9a-f]{4})\]")
_UUID: Final = pattern(r"^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$")
_UNITS: Final = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def device_of(index: int, facts: Mapping[str, str]) -> IntelDevice:
    """Return the record; `facts` by the table's names: "Device Name", "PCI BDF Address", "Memory Physical Size" …"""
    name = stated(facts.get("Device Name"))
    address = _ADDRESS.match((facts.get("PCI BDF Address") or "").strip().lower())
    number = _HEX.match((facts.get("PCI Device ID") or "").strip().lower()) or _IN_NAME.search((name or "").lower())
    return with_product(
        replace(
            intel_gpu(index),
            name=name,
            uuid=whole_uuid(facts.get("UUID") or facts.get("SOC UUID")),
            serial=stated(facts.get("Serial Number")),
            pci_address=address[0] if address else None,
            pci_id=f"8086:{number[1]:0>4}" if number else None,
            driver_version=stated(facts.get("Driver Version")),
            firmware_version=stated(facts.get("GFX Firmware Version") or facts.get("Firmware Version")),
            memory_total_bytes=size_bytes(facts.get("Memory Physical Size")),
            tiles=whole(facts.get("Number of Tiles")),
            execution_units=whole(facts.get("Number of EUs")),
            device_path=stated(facts.get("DRM Device")),
        )
    )


def is_intel(facts: Mapping[str, str]) -> bool:
    """Return whether the properties are of an Intel GPU: other vendors have tools with the same name."""
    return "intel" in f"{facts.get('Vendor Name', '')} {facts.get('Device Name', '')}".lower()


def stated(text: str | None) -> str | None:
    """Return a meaningful text; None for "", "unknown", "N/A"."""
    value = (text or "").strip().strip('"')
    return None if value.lower() in ("", "unknown", "n/a", "na", "none", "not supported") else value


def whole_uuid(text: str | None) -> str | None:
    """Return a UUID; None for an incomplete one at the end of a truncated text.

    >>> whole_uuid("00000000-0000-0029-0000-002f0bda8086"), whole_uuid("00000000-0000")
    ('00000000-0000-0029-0000-002f0bda8086', None)
    """
    value = (text or "").strip().strip('"')
    return value if _UUID.match(value) else None


def number(text: str | None) -> float | None:
    """Return a number; None if the text is not one."""
    try:
        return float((text or "").strip())
    except ValueError:
        return None


def whole(text: str | None) -> int | None:
    """Return a count; None if the text is not an integer."""
    value = (text or "").strip()
    return int(value[:9]) if value.isascii() and value.isdecimal() else None


def size_bytes(text: str | None) -> int | None:
    """Return the bytes in a text such as "32768.00 MiB".

    >>> size_bytes("49136.00 MiB"), size_bytes("unknown")
    (51522830336, None)
    """
    found = _SIZE.match((text or "").strip())
    return round(float(found[1]) * _UNITS[found[2]]) if found else None
