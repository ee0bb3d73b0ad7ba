"""Rules that map printed values to the fields of a device.

A fact is a name, a mapping, or a list of these. The first one that gives a value counts.

    name: "product name"
    memory_used_bytes: {from: ["used size", "mem usage"], unit: "MiB"}
    pci_address: "{pcie info/domain}:{pcie info/bus}:{pcie info/dev}.{pcie info/func}"
    pci_id: {from: "device id", match: "0x(....)(....)", join: "{2}:{1}"}
    health: {from: "ecc errors", critical_above: 0}
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from accel.model.dataclass import dataclass, field_names
from accel.model.device import Device
from accel.text import amounts
from accel.text.layouts.quantity import quantity
from accel.text.pattern import pattern

BYTES: Final = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")
FIELDS: Final = (
    *("index", "numa_node", "pci_address", "name", "uuid", "serial", "pci_id", "architecture", "compute_capability"),
    *("driver_version", "health", *BYTES, "utilization_percent", "temperature_celsius", "power_watts"),
    "power_limit_watts",
)
"""The fields of any device that a rule may fill."""
ANY: Final = "*"
_MEASURES: Final = ("bytes", "percent", "celsius", "watts")
_SLOT: Final = pattern(r"\{([^{}]+)\}")
_PCI_ID: Final = pattern(r"(?:0x)?([0-9a-f]{4}):(?:0x)?([0-9a-f]{4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One place where a value is printed.

    source          name of a group, key or column; "hotspot*" is the first name with that prefix; "{a}:{b}" joins
                    several
    match, join     a regular expression for the printed text, and a template for its groups: "{2}:{1}"
    unit            unit of the number if the tool prints none: "MiB", "W", "C", "%"; None for texts
    values          the field's value for each printed text, ignoring case. Other texts are unknown, unless "*" is "*"
    critical_above  for the health: the count above which it is critical
    sum_of          instead of a source: an expression for names; the counts of all matching names are added up
    order_without   for the index, without a source: use the device's position if this name is not printed either
    """

    source: str = ""
    match: str | None = None
    join: str | None = None
    unit: str | None = None
    values: dict[str, Any] | None = None
    critical_above: int | None = None
    sum_of: str | None = None
    order_without: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are read."""
        return tuple(_SLOT.findall(self.source)) or (self.source,)

    def printed(self, values: Mapping[str, str]) -> str:
        """Return the text printed there; "" if there is none."""
        if self.sum_of is not None:
            counts = [amounts.count(text) for name, text in values.items() if pattern(self.sum_of).fullmatch(name)]
            return str(sum(known)) if (known := [count for count in counts if count is not None]) else ""
        if "{" in self.source:
            missing = any(name not in values for name in self.names)
            text = "" if missing else _SLOT.sub(lambda slot: values[slot[1]], self.source)
        elif self.source.endswith(ANY):
            text = next((text for name, text in values.items() if name.startswith(self.source[:-1])), "")
        else:
            text = values.get(self.source, "")
        if self.match is None:
            return text
        found = pattern(self.match).fullmatch(text.strip())
        groups = () if found is None else (found[0], *(group or "" for group in found.groups()))
        return (self.join or "{1}").format(*groups) if groups else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One field, what it contains ("bytes", "count", "text" …), and where its value may be printed."""

    field: str
    kind: str
    forms: tuple[Form, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are read."""
        return tuple(name for form in self.forms for name in form.names)

    def is_printed(self, values: Mapping[str, str]) -> bool:
        """Return whether the text has a place for the field, even an empty one."""
        return any(form.sum_of is not None or all(_has(values, name) for name in form.names) for form in self.forms)

    def value(self, values: Mapping[str, str]) -> Any:
        """Return the field's value; None for "N/A", an impossible amount, or a text that the rule does not know."""
        found = (_value(self, form, form.printed(values)) for form in self.forms)
        return next((value for value in found if value is not None), None)

    def printed(self, values: Mapping[str, str]) -> str | None:
        """Return the first text printed for the field that is not a placeholder such as "N/A"."""
        return next((word for form in self.forms if (word := amounts.word(form.printed(values)))), None)


def fact_of(field: str, stated: Any, record: type[Device] = Device) -> Fact:
    """Parse one fact of a rule. record: the device class that has the field."""
    several = stated if isinstance(stated, list) else [stated]
    return Fact(field=field, kind=kind_of(field, record), forms=tuple(form for one in several for form in _forms(one)))


def kind_of(field: str, record: type[Device]) -> str:
    """Return the field's unit ("bytes", "percent", "celsius" or "watts"), or the name of what it contains."""
    ending = field.rpartition("_")[2]
    if ending in _MEASURES:
        return ending
    if field in ("pci_address", "pci_id", "architecture"):
        return field
    typed = (getattr(base, "__annotations__", {}) for base in record.__mro__)
    held = next((str(types[field]) for types in typed if field in types), "str")
    return next((kind for word, kind in _HELD.items() if word in held), "text")


def own_fields(record: type[Device]) -> frozenset[str]:
    """Return the fields that only this vendor's devices have."""
    return frozenset(field_names(record)) - frozenset(field_names(Device))


def _forms(stated: Any) -> Iterator[Form]:
    if isinstance(stated, str):
        yield Form(source=stated)
        return
    rest = {name: value for name, value in stated.items() if name != "from"}
    sources = stated.get("from", "")
    for source in sources if isinstance(sources, list) else [sources]:
        yield Form(source=source, **rest)


def _has(values: Mapping[str, str], name: str) -> bool:
    return any(one.startswith(name[:-1]) for one in values) if name.endswith(ANY) else name in values


def _value(fact: Fact, form: Form, printed: str) -> Any:
    text = amounts.word(printed)
    if text is None:
        return None
    if form.critical_above is not None:
        return "critical" if (amounts.count(text) or 0) > form.critical_above else None
    if form.values is not None:
        known = {name.lower(): value for name, value in form.values.items()}
        value = known.get(text.lower(), known.get(ANY))
        return text if value == ANY else value
    if fact.kind not in _MEASURES:
        return _TEXTS[fact.kind](text)
    amount = quantity(text, form.unit) if form.unit else None
    if amount is None or (amount < 0 and fact.kind != "celsius"):
        return None
    if fact.kind == "bytes":
        return int(amount) or (None if fact.field.endswith("total_bytes") else 0)
    return amount


def _pci_id(text: str) -> str | None:
    found = _PCI_ID.fullmatch(text)
    return f"{found[1]}:{found[2]}".lower() if found else None


_HELD: Final = {"bool": "flag", "int": "count", "float": "number"}
_TEXTS: Final[dict[str, Callable[[str], Any]]] = {
    "text": amounts.word,
    "count": amounts.count,
    "number": amounts.number,
    "flag": lambda text: {"true": True, "false": False}.get(text.lower()),
    "pci_address": amounts.pci_address,
    "pci_id": _pci_id,
    "architecture": str.lower,
}
