"""The chapter on devices: each product once, the readings of its devices, and their memory usage."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from accel.apps.render.report.document import Bar, Bars, Block, Charts, Fact, Fold, Group, Paragraph, Section, Table
from accel.apps.render.report.given import Given, known_facts
from accel.apps.render.report.grouping import Alike, unmatched
from accel.apps.render.units import bytes_text, number_text, of_text, plural
from accel.model.dataclass import field_names
from accel.model.device import Device
from accel.specs.matching import fits

_NUMERIC: Final = frozenset({"memory used", "use", "temperature", "power", "NUMA node"})

_IN_A_CHART: Final = 8  # devices per chart; more get charts side by side
_SHARED: Final = frozenset(field_names(Device))
_NAMES_SOMEBODY: Final = frozenset({"id", "ids", "serial", "uuid", "guid", "number", "address", "name", "host"})
_UNITS: Final = {"percent": "%", "celsius": "°C", "watts": "W", "volts": "V", "mhz": "MHz", "seconds": "s"}


class _Reading(NamedTuple):
    """A reading of each device: its name, the fields it is made from, and a formatter that returns None if unknown."""

    label: str
    fields: tuple[str, ...]
    words: Callable[[Device], str | None]


def devices(given: Given, groups: Sequence[Alike]) -> Section:
    """Return the chapter, with one group of blocks per product."""
    blocks: tuple[Block, ...] = tuple(_group(given, group) for group in groups)
    if not any(group.devices[0].kind != "cpu" for group in groups):
        none = "No accelerator was seen, so there are no specs and no restrictions to look up."
        blocks = (Paragraph(text=none, tone="plain"), *blocks)
    return Section(name="devices", title="Devices", blocks=blocks)


def _group(given: Given, group: Alike) -> Group:
    blocks: list[Block] = []
    shared = _shared(given, group)
    if len(group.devices) == 1:
        device = group.devices[0]
        single = [
            Fact(label=r.label, value=r.words(device), why=given.why(r.fields, device)) for r in _readings(given, group)
        ]
        blocks += known_facts([Fact(label="device", value=device.id), *shared, *single])
    else:
        blocks += [*known_facts(shared), *_table(given, group)]
    charts = _memory_charts(group)
    if charts:
        blocks.append(Charts(charts=charts))
    more = _further(group.whole, given.identifiers)
    if more is not None:
        blocks.append(Fold(title=f"{more.caption}: {plural(len(more.rows), 'fact')}", blocks=(more,)))
    return Group(title=group.title, blocks=tuple(blocks))


def _shared(given: Given, group: Alike) -> list[Fact]:
    """Return the facts that all devices of a product share."""
    first = group.devices[0]
    code = f" ({first.compute_capability})" if first.compute_capability else ""
    rows = [
        Fact(label="vendor", value=first.vendor),
        Fact(
            label="architecture",
            value=f"{first.architecture}{code}" if first.architecture else first.compute_capability,
            why=given.why(("architecture", "compute_capability"), first),
        ),
    ]
    if first.kind != "cpu":
        rows.append(Fact(label="PCI id", value=first.pci_id, why=given.why(("pci_id",), first)))
        rows.append(Fact(label="product", value=_product(group), why=unmatched(first)))
        drivers = _drivers(group)
        if len(drivers) < 2:
            why = given.why(("driver_version",), first)
            rows.append(Fact(label="driver", value=next(iter(drivers), None), why=why))
    return rows


def _drivers(group: Alike) -> set[str]:
    return {device.driver_version for device in group.devices if device.driver_version}


def _product(group: Alike) -> str | None:
    chip, shown = group.chip, group.devices[0].memory_total_bytes
    if chip is not None:
        if shown is None or chip.memory_bytes is None or fits(chip, shown):
            return chip.name
        sizes = f"its record has {bytes_text(chip.memory_bytes)}, a device here shows {bytes_text(shown)}"
        return f"{chip.name}; {sizes}: a part of it, or another variant"
    names = [chip.name for chip in group.candidates]
    if not names:
        return None
    return f"perhaps {' or '.join(names[:6])}{' …' if len(names) > 6 else ''}"


def _readings(given: Given, group: Alike) -> list[_Reading]:
    found = [
        _Reading("memory used", ("memory_used_bytes", "memory_total_bytes"), _memory),
        _Reading("use", ("utilization_percent",), lambda d: _number(d.utilization_percent, "%")),
    ]
    if group.devices[0].kind == "cpu":
        return found
    found += [
        _Reading("temperature", ("temperature_celsius",), lambda d: _number(d.temperature_celsius, "°C")),
        _Reading("power", ("power_watts", "power_limit_watts"), _power),
        _Reading("health", ("health",), lambda d: None if d.health == "unknown" else d.health),
        _Reading("processes", ("processes",), _processes),
        _Reading("runtime name", ("runtime_names", "visible"), _runtime),
        _Reading("PCI address", ("pci_address",), lambda d: d.pci_address),
        _Reading("NUMA node", ("numa_node",), lambda d: None if d.numa_node is None else str(d.numa_node)),
    ]
    if len(_drivers(group)) > 1:
        found.append(_Reading("driver", ("driver_version",), lambda d: d.driver_version))
    if given.identifiers:
        found.append(_Reading("serial", ("serial",), lambda d: d.serial))
        found.append(_Reading("unique id", ("uuid",), lambda d: d.uuid))
    return found


def _table(given: Given, group: Alike) -> list[Block]:
    """Return one row per device; readings unknown for all devices, and reasons for unknown ones, go below the table."""
    readings = [r for r in _readings(given, group) if any(r.words(device) is not None for device in group.devices)]
    rows = tuple(
        ("↳ " * (not device.is_top_level) + device.id, *(reading.words(device) for reading in readings))
        for device in group.devices
    )
    table = Table(
        caption="Readings of each device", columns=("device", *(r.label for r in readings)), rows=rows, numeric=_NUMERIC
    )
    unknown = {
        (reading.label, given.why(reading.fields, device)): None
        for reading in _readings(given, group)
        for device in group.devices
        if reading.words(device) is None
    }
    reasons: dict[str, list[str]] = {}
    for label, why in unknown:
        reasons.setdefault(why, []).append(label)
    lines = "; ".join(f"{', '.join(labels)} ({why})" for why, labels in reasons.items())
    return [table, *([Paragraph(text=f"Unknown, of some or all: {lines}.", tone="quiet")] if lines else [])]


def _memory_charts(group: Alike) -> tuple[Bars, ...]:
    """Return each device's memory usage as a fraction; () if no usage is known."""
    sized = [device for device in group.devices if device.memory_total_bytes]
    if not any(device.memory_used_bytes is not None for device in sized):
        return ()
    bars = [Bar(name=device.id, value=_share(device), text=_memory(device) or "unknown") for device in sized]
    return tuple(_memory_chart(tuple(bars[start : start + _IN_A_CHART])) for start in range(0, len(bars), _IN_A_CHART))


def _memory_chart(bars: tuple[Bar, ...]) -> Bars:
    said = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    return Bars(
        title="Memory used of total", description=f"Memory used of total, by device: {said}.", bars=bars, whole=1.0
    )


def _share(device: Device) -> float | None:
    if device.memory_used_bytes is None or not device.memory_total_bytes:
        return None
    return min(1.0, max(0.0, device.memory_used_bytes / device.memory_total_bytes))


def _memory(device: Device) -> str | None:
    if device.memory_total_bytes is None and device.memory_used_bytes is None:
        return None
    if device.memory_used_bytes is None:
        return f"unknown of {bytes_text(device.memory_total_bytes)}"
    if device.memory_total_bytes is None:
        return f"{bytes_text(device.memory_used_bytes)} of unknown"
    return of_text(device.memory_used_bytes, device.memory_total_bytes).replace("/", " of ")


def _power(device: Device) -> str | None:
    watts, limit = (_number(value, "W") for value in (device.power_watts, device.power_limit_watts))
    if watts is None and limit is None:
        return None
    return watts if limit is None else f"{watts or 'unknown'} of {limit}"


def _processes(device: Device) -> str | None:
    """Return how many processes hold the device, and which."""
    if device.processes is None:
        return None
    names = ", ".join(f"{p.name or 'unnamed'} ({p.pid})" for p in device.processes[:4])
    more = f" and {len(device.processes) - 4} more" if len(device.processes) > 4 else ""
    return f"{len(device.processes)}: {names}{more}" if names else "0"


def _runtime(device: Device) -> str | None:
    if device.visible is False:
        return "hidden"
    return ", ".join(device.runtime_names) if device.runtime_names else None


def _number(value: float | None, unit: str) -> str | None:
    return None if value is None else number_text(value, unit)


def _further(devices: Sequence[Device], identifiers: bool) -> Table | None:
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
