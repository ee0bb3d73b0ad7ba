"""The keys of hy-smi's `--show…` output; text, JSON and CSV use the same ones.

    Card Series, Card Vendor, Device ID, Unique ID, Serial Number, VBIOS version, PCI Bus
    HCU use (%), HCU memory use (%)                     DCU in older releases
    vram Total Memory (MiB), vram Total Used Memory (MiB)    the unit is in the key
    Temperature (Sensor edge) (C), (Sensor core), (Sensor junction), (Sensor mem)
    Average Graphics Package Power (W), Max Graphics Package Power (W)

Seen    DTK 22.10 to 26.04. AMD's rocm-smi has most of these keys too: Hygon's are DCU, HCU, "vram Total" in lower-case
        letters, the vendors in _VENDORS, and the targets gfx926, gfx928, gfx936 and gfx938.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.amounts import pci_address, quantity, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reading
from accel_hygon import VENDOR
from accel_hygon.model import HygonDevice

_OURS: Final = pattern(
    r"(?:[DH]CU (?:memory )?use \(%\)|vram Total (?:Used )?Memory \(|Available memory size \()", exact_case=True
)
_KNOWN: Final = pattern(
    r"(?i)(?:card (?:series|model|vendor|sku)|product name|(?:device|gpu|unique) id|serial number|vbios version|pci bus"
    r"|performance level|gfx version|[dhg][cp]u (?:memory )?use \(%\)|(?:vram total|available) (?=.*memory).*"
    r"|temperature \(sensor .*|(?:average|max) graphics package power \(w\))"
)
_VENDORS: Final = ("haiguang", "hygon", "c-3000 ic design")
_TARGET: Final = pattern(r"gfx9[23][68]\b")
_MEMORY: Final = pattern(r"(?i)vram total (used )?memory \((\w+)\)")
_SHIFTS: Final = {"b": 0, "kib": 10, "kb": 10, "mib": 20, "mb": 20, "gib": 30, "gb": 30}


def is_known(key: str) -> bool:
    """Return whether this is a key of hy-smi: programs print lines of the same shape."""
    return _KNOWN.fullmatch(key.strip()) is not None


def is_hygon(facts: Mapping[str, str]) -> bool:
    """Return whether these keys and values of one card are from Hygon's tool."""
    vendor = facts.get("Card Vendor", facts.get("Card vendor", "")).lower()
    target = _TARGET.match(facts.get("GFX Version", ""))
    return bool(target) or any(name in vendor for name in _VENDORS) or any(_OURS.match(key) for key in facts)


def device(index: int, facts: Mapping[str, str]) -> HygonDevice:
    """Return the device described by one card's keys and values."""
    known = {" ".join(key.lower().split()): value for key, value in facts.items()}
    edge, core, junction, memory = (
        quantity(known.get(f"temperature (sensor {place}) (c)"), "", "c")
        for place in ("edge", "core", "junction", "mem")
    )
    device_id = known.get("device id", known.get("gpu id", "")).lower().removeprefix("0x")
    total, used = _memory(known, used=False), _memory(known, used=True)
    return VENDOR.device(
        index,
        name=word(known.get("card series") or known.get("card model") or known.get("product name")),
        uuid=word(known.get("unique id")),
        serial=word(known.get("serial number")),
        firmware_version=word(known.get("vbios version")),
        compute_capability=word((known.get("gfx version") or "").partition(":")[0]),
        pci_address=pci_address(known.get("pci bus", "").split(" ")[0]),
        pci_id=f"1d94:{device_id}" if len(device_id) == 4 and device_id.isalnum() else None,
        memory_total_bytes=total or None,
        memory_used_bytes=used,
        memory_free_bytes=total - used if total and used is not None and used <= total else None,
        memory_used_percent=_percent(known, "memory use (%)"),
        utilization_percent=_percent(known, "use (%)"),
        temperature_celsius=next((t for t in (edge, core, junction) if t is not None), None),
        junction_temperature_celsius=junction,
        memory_temperature_celsius=memory,
        power_watts=quantity(known.get("average graphics package power (w)"), "", "w"),
        power_limit_watts=quantity(known.get("max graphics package power (w)"), "", "w"),
        performance_level=word(known.get("performance level")),
    )


def reading(source: str, devices: Iterable[HygonDevice], driver: str | None, trust: int) -> Reading:
    """Return the reading of these devices, each with the driver's version."""
    found = tuple(replace(device, driver_version=driver) for device in devices)
    version = Driver(version=driver) if driver else None
    return Reading(
        source=source,
        reports=(Report(backend=VENDOR.name, source=source, trust=trust, driver=version, devices=found),),
    )


def _percent(known: Mapping[str, str], what: str) -> float | None:
    values = (quantity(known.get(f"{unit} {what}"), "", "%") for unit in ("hcu", "dcu", "gpu"))
    return next((value for value in values if value is not None), None)


def _memory(known: Mapping[str, str], used: bool) -> int | None:
    for key, value in known.items():
        found = _MEMORY.fullmatch(key)
        if found and bool(found[1]) is used and found[2].lower() in _SHIFTS:
            amount = quantity(value, "")
            return None if amount is None or amount < 0 else int(amount * 2 ** _SHIFTS[found[2].lower()])
    return None
