"""Constructors of the records that the readers of AMD's texts and the live backend yield."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from accel.model.dataclass import field_names, replace
from accel.model.device import Device
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reading
from accel_amd.model import AmdDevice
from accel_amd.targets import plain_target

BACKEND: Final = "amd"
VENDOR: Final = "AMD"
_Device = TypeVar("_Device", bound=Device)
_IDENTITY: Final = ("id", "index", "backend", "vendor", "kind")
_FOREIGN: Final = pattern(
    r"(?i)\b[dh]cus?\b|hygon|haiguang|chengdu|\bc-3000 ic\b|\b(?:gfx9[23][68]|z100l?|k100(?:_ai)?)\b"
    r"|\b(?:series|model|name)\W{1,5}bw\d*\b|^bw\d*$"
)


def gpu(index: int, name: str | None = None, target: str | None = None, **facts: Any) -> AmdDevice:
    """Return one GPU; target is its compute target, without feature flags; facts are fields of AmdDevice."""
    facts.setdefault("compute_capability", plain_target(target))
    return AmdDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="gpu",
        name=name,
        **facts,
    )


def is_foreign(text: str) -> bool:
    """Return whether a text about one device names another vendor's, Hygon's: its tools are builds of ROCm's.

    gfx926, gfx928, gfx936 and gfx938 are Hygon's targets, not AMD's; Z100 and K100 have gfx906 and are identified by
    their names. "HCU" or "DCU" is its word for a GPU.

    >>> [is_foreign(text) for text in ("gfx936:sramecc+", "hcu use (%)", "Chengdu Haiguang IC", "K100_AI", "gfx942")]
    [True, True, True, True, False]
    """
    return _FOREIGN.search(text) is not None


def target_of_number(version: int) -> str | None:
    """Return the target that KFD's gfx_target_version encodes: major * 10000 + minor * 100 + stepping.

    >>> target_of_number(90402), target_of_number(90010), target_of_number(100301), target_of_number(0)
    ('gfx942', 'gfx90a', 'gfx1031', None)
    """
    major, minor, stepping = version // 10000, version // 100 % 100, version % 100
    return f"gfx{major}{minor:x}{stepping:x}" if 7 <= major <= 99 else None


def uuid_of(unique_id: int | None) -> str | None:
    """Return ROCr's name of a GPU: "GPU-" and its unique ID in 16 hex digits; None if it has none."""
    return f"GPU-{unique_id:016x}" if unique_id else None


def whole_uuid(value: object) -> str | None:
    """Return a UUID as printed by ROCr or amd-smi; None for an incomplete one at the end of a truncated text.

    >>> whole_uuid("GPU-1b2c3d4e5f607182"), whole_uuid("11ff74a1-0000-1000-8022-")
    ('GPU-1b2c3d4e5f607182', None)
    """
    found = re.fullmatch(
        r"\s*(GPU-[0-9a-fA-F]{16}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*",
        value if isinstance(value, str) else "",
    )
    return found[1] if found else None


def address_of_location(location: int, domain: int = 0) -> str | None:
    """Return the PCI address of KFD's location_id or rocminfo's BDFID: bus, device and function in one number."""
    if not 0 < location <= 0xFFFF:
        return None
    return f"{domain:04x}:{location >> 8:02x}:{(location >> 3) & 31:02x}.{location & 7:x}"


def joined(first: AmdDevice, second: AmdDevice) -> AmdDevice:
    """Return the first device, with its unknown fields filled in from the second."""
    new = {
        name: getattr(second, name)
        for name in field_names(first)
        if name not in _IDENTITY and getattr(first, name) in (None, "unknown")
    }
    return replace(first, **new)


def joined_by_index(devices: Iterable[AmdDevice]) -> tuple[AmdDevice, ...]:
    """Return one device per index; earlier ones take precedence."""
    found: dict[int, AmdDevice] = {}
    for device in devices:
        known = found.get(device.index)
        found[device.index] = device if known is None else joined(known, device)
    return tuple(found[index] for index in sorted(found))


def with_boards(devices: "Iterable[_Device]") -> "tuple[_Device, ...]":
    """Return the devices, with the board of each partition if the PCI addresses are known.

    A partition has its board's bus and device number, and its own function number; the board has 0. Nodes with one
    unique ID in one slot are partitions, whether or not the text says so.
    """
    found = tuple(devices)
    times = Counter(map(_slot_and_number, found))
    return tuple(
        replace(device, board=f"{slot}.0", parent=f"{BACKEND}:{slot}.0")
        if (slot := _slot_and_number(device)[0])
        and isinstance(device, AmdDevice)
        and device.parent is None
        and (device.is_partition or (device.unique_id is not None and times[_slot_and_number(device)] > 1))
        else device
        for device in found
    )


def _slot_and_number(device: Device) -> tuple[str, int | None]:
    return (device.pci_address or "").rpartition(".")[0], getattr(device, "unique_id", None)


def knows_anything(device: AmdDevice) -> bool:
    """Return whether anything is known about a device beyond its number."""
    return any(getattr(device, name) not in (None, "unknown") for name in field_names(device) if name not in _IDENTITY)


def reading(
    source: str,
    trust: int,
    devices: Sequence[Device] = (),
    driver: str | None = None,
    toolkit: str | None = None,
) -> Reading:
    """Return one report as a reading; driver is amdgpu's version, toolkit is ROCm's."""
    known = Driver(version=driver, toolkit_version=toolkit) if driver or toolkit else None
    report = Report(backend=BACKEND, source=source, trust=trust, driver=known, devices=with_boards(devices))
    return Reading(source=source, reports=(report,))
