"""The fields of a vendor's own record beyond the common ones: ECC, links, clocks, firmware."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from accel.apps.render.report.document import Table
from accel.apps.render.units import bytes_text
from accel.model.dataclass import field_names
from accel.model.device import Device

_SHARED: Final = frozenset(field_names(Device))
_NAMES_SOMEBODY: Final = frozenset({"id", "ids", "serial", "uuid", "guid", "number", "address", "name", "host"})
_UNITS: Final = {"percent": "%", "celsius": "°C", "watts": "W", "volts": "V", "mhz": "MHz", "seconds": "s"}


def further(devices: Sequence[Device], identifiers: bool) -> Table | None:
    """Return one row per fact; None if there are no more. Without identifiers, omit those that can identify a board."""
    names = dict.fromkeys(name for device in devices for name in field_names(device) if name not in _SHARED)
    rows = []
    for name in names:
        if not identifiers and _NAMES_SOMEBODY.intersection(name.split("_")):
            continue
        told = [(device.id, _words(name, getattr(device, name, None))) for device in devices]
        value = _together([(identity, words) for identity, words in told if words is not None], len(devices))
        if value is not None:
            rows.append((_label(name), value))
    if not rows:
        return None
    return Table(caption="What the vendor's own record adds", columns=("fact", "value"), rows=tuple(rows))


def _together(told: Sequence[tuple[str, str]], count: int) -> str | None:
    """Return the value that all devices share, or which device has which."""
    by_value: dict[str, list[str]] = {}
    for identity, words in told:
        by_value.setdefault(words, []).append(identity)
    if len(by_value) == 1 and len(told) == count:
        return told[0][1]
    return "; ".join(f"{words} ({', '.join(ids)})" for words, ids in by_value.items()) or None


def _words(name: str, value: Any) -> str | None:
    """Return a plain value as text; None if it is unknown, or a record, which has no short form."""
    unit = name.rpartition("_")[2]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return bytes_text(int(value)) if unit == "bytes" else f"{value:g} {_UNITS.get(unit, '')}".strip()
    if isinstance(value, str):
        return value or None
    if isinstance(value, Iterable):
        items = tuple(value)
        return ", ".join(map(str, items)) or "none" if all(isinstance(item, str | int) for item in items) else None
    return None


def _label(name: str) -> str:
    words = name.split("_")
    return " ".join(words[:-1] if words[-1] in (*_UNITS, "bytes") and len(words) > 1 else words)
