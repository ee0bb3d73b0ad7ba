"""The record of a Mac's GPU."""

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device
from accel.specs import load
from accel.text.pattern import pattern

BACKEND = "apple"
_ID = pattern(r"0x([0-9a-fA-F]{4})\b")
_GENERATION = pattern(r"Apple (M\d{1,2})\b")
_MAKERS = {"106b": "Apple", "1002": "AMD", "8086": "Intel", "10de": "NVIDIA"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppleDevice(Device):
    """One GPU of a Mac. vendor is its maker: "Apple", "AMD", "Intel", "NVIDIA".

    memory_total_bytes  a card's own memory, or the share of the machine's memory that an Intel GPU may use; for an
                        Apple GPU on a live machine, all of the machine's memory
    unified_memory_bytes  the machine's memory, which an Apple GPU shares; None for other GPUs, and if not printed
    core_count          GPU cores of an Apple GPU
    metal               as printed: "Metal 3", "Supported, Metal GPUFamily Apple 7"; metal_supported is derived from it
    bus                 "Built-In", "PCIe"
    """

    core_count: int | None = None
    unified_memory_bytes: int | None = None
    metal: str | None = None
    metal_supported: bool | None = None
    bus: str | None = None


def apple_gpu(index: int, name: str, maker: str | None, device_id: str | None) -> AppleDevice:
    """Return a GPU's record; `maker` as printed ("AMD (0x1002)", "sppci_vendor_Apple"), `device_id` like "0x6860"."""
    vendor_id = _ID.search(maker or "")
    number = _ID.search(device_id or "")
    vendor = maker_of(maker, name)
    found = AppleDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=vendor or "unknown",
        kind="gpu",
        name=name,
        pci_id=f"{vendor_id[1]}:{number[1]}".lower() if vendor_id and number else None,
    )
    return replace(found, architecture=_architecture(name)) if vendor == "Apple" else found


def _architecture(name: str) -> str | None:
    """Return "apple_m3" for "Apple M3 Pro": all sizes of a generation have one architecture."""
    generation = _GENERATION.match(name)
    known = {row["name"] for row in (load().table("apple/architectures") or {}).get("architectures", ())}
    architecture = f"apple_{generation[1].lower()}" if generation else ""
    return architecture if architecture in known else None


def maker_of(maker: str | None, name: str) -> str | None:
    """Return a GPU's maker, from its vendor ID, the vendor's name, or its own name.

    >>> maker_of("AMD (0x1002)", "Radeon"), maker_of("sppci_vendor_Apple", "Apple M1"), maker_of(None, "Intel UHD")
    ('AMD', 'Apple', 'Intel')
    """
    found = _ID.search(maker or "")
    if found and found[1].lower() in _MAKERS:
        return _MAKERS[found[1].lower()]
    for text in (maker or "", name):
        for known in _MAKERS.values():
            if known.lower() in text.lower():
                return known
    return None


def metal_of(text: str | None) -> bool | None:
    """Return whether Metal is supported; None if the text does not say.

    >>> metal_of("Metal 3"), metal_of("Supported, feature set macOS"), metal_of("Not Supported"), metal_of("")
    (True, True, False, None)
    """
    words = (text or "").lower()
    if not words:
        return None
    return not ("not" in words or "no" in words.split())
