"""Which printed value fills which field of a device, and how."""

from collections.abc import Callable
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text import amounts
from accel.text.layouts.quantity import quantity

BYTES: Final = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")
_TEXTS: Final[dict[str, Callable[[str], Any]]] = {
    "index": amounts.count,
    "numa_node": amounts.count,
    "pci_address": amounts.pci_address,
    "name": amounts.word,
    "uuid": amounts.word,
    "serial": amounts.word,
    "pci_id": amounts.word,
    "architecture": amounts.word,
    "compute_capability": amounts.word,
    "driver_version": amounts.word,
    "health": amounts.word,
}
_MEASURES: Final = {
    **dict.fromkeys(BYTES, "bytes"),
    "utilization_percent": "percent",
    "temperature_celsius": "celsius",
    "power_watts": "watts",
    "power_limit_watts": "watts",
}
FIELDS: Final = (*_TEXTS, *_MEASURES)
"""The fields of a device that a rule may fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One field, and where its value is printed.

    source  the name of a group, key or column
    unit    of the number, where the tool prints none: "MiB", "W", "C", "%"; None for texts
    values  what the field holds for each printed text; what is not among them is not known
    """

    field: str
    source: str
    unit: str | None = None
    values: dict[str, Any] | None = None


def fact_of(field: str, stated: Any) -> Fact:
    """Read `name: "column"` or `name: {from: "column", unit: "MiB", values: {…}}`."""
    if isinstance(stated, str):
        return Fact(field=field, source=stated)
    return Fact(field=field, source=stated["from"], unit=stated.get("unit"), values=stated.get("values"))


def measure_of(field: str) -> str | None:
    """Return what the field measures: "bytes", "percent", "celsius" or "watts"; None of a text or a count."""
    return _MEASURES.get(field)


def value_of(fact: Fact, printed: str) -> Any:
    """Return the field's value; None for "N/A", an impossible amount, and a text that the rule does not know."""
    text = amounts.word(printed)
    if text is None:
        return None
    if fact.values is not None:
        return fact.values.get(text)
    if fact.field not in _MEASURES:
        return _TEXTS[fact.field](text)
    amount = quantity(text, fact.unit) if fact.unit else None
    if amount is None or (amount < 0 and fact.field != "temperature_celsius"):
        return None
    if fact.field in BYTES:
        return int(amount) or (None if fact.field == "memory_total_bytes" else 0)
    return amount
