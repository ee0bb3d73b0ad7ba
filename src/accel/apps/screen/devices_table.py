"""The table of devices, one line each. Busy and saturated are separate columns; an unknown value is a dash."""

from collections.abc import Iterator
from typing import Final

from accel.apps.render.page import columns_of
from accel.apps.render.units import of_text, rate_text
from accel.apps.screen.cells import DASH, Line, Span, blank, cell, exact
from accel.apps.screen.columns import GAP, Column, Widths, placed
from accel.apps.screen.graphs import bars, gauge, lately
from accel.apps.screen.view import View
from accel.model.device import Device
from accel.model.readings import Readings

_GAUGE: Final = 10
_HOT: Final = ("thermal", "brake", "hw-slowdown")
_COLUMNS: Final = (
    Column(name="device", head="device", least=8, keep=20, most=24, right=False),
    Column(name="name", head="name", least=10, keep=9, most=32, right=False),
    Column(name="busy", head="busy", least=5, keep=19),
    Column(name="saturated", head="saturated", short="satur", least=5, keep=15, most=9),
    Column(name="memory busy", head="mem busy", least=8, keep=5),
    Column(name="memory", head="memory", least=9, keep=18, most=16),
    Column(name="gauge", head="", least=_GAUGE, keep=7, right=False),
    Column(name="temperature", head="temp", least=5, keep=14),
    Column(name="power", head="power", least=9, keep=12, most=11),
    Column(name="clock", head="clock", least=8, keep=4),
    Column(name="pcie", head="PCIe out/in", least=19, keep=11, most=21),
    Column(name="links", head="links out/in", least=19, keep=10, most=21),
    Column(name="health", head="health", least=8, keep=13, right=False),
    Column(name="trend", head="busy, lately", short="lately", least=10, keep=6, most=60, right=False, fills=True),
    Column(name="down", head="held down by", least=12, keep=3, most=34, right=False, fills=True),
)
_ASKED: Final = frozenset(("pcie", "links"))  # columns that are shown only on request
_HEALTH: Final = {"ok": "good", "warning": "warn", "critical": "bad", "unknown": "dim"}


def widths(view: View, width: int) -> Widths:
    """Return the columns that fit."""
    shown = [one for one in _COLUMNS if view.links or one.name not in _ASKED]
    wants: dict[str, int] = {"trend": 60}
    for device, readings in view.devices:
        for name, text in (
            ("device", _indented(device)),
            ("name", name_of(device)),
            ("memory", _memory(readings)),
            ("power", _power(readings)),
            ("down", _down(readings)),
        ):
            wants[name] = max(wants.get(name, 0), columns_of(text))
    return placed(shown, width, wants)


def head(columns: Widths) -> Line:
    spans: list[Span] = []
    for one, width in columns:
        if spans:
            spans.append(blank(GAP))
        spans.append(cell(one.head_in(width), width, one.right, "head"))
    return tuple(spans)


def lines(view: View, columns: Widths, first: int, count: int) -> Iterator[Line]:
    """Yield the lines of `count` devices, starting at `first`."""
    for device, readings in view.devices[first : first + count]:
        mark = ("select " if view.pane == "devices" else "mark ") if device.id == view.device else ""
        yield _line(view, device, readings, columns, mark)


def _line(view: View, device: Device, readings: Readings, columns: Widths, mark: str) -> Line:
    action = f"device {device.id}"
    spans: list[Span] = []
    for number, (one, width) in enumerate(columns):
        gap = GAP if number < len(columns) - 1 else 0
        if number == 1 and readings.state != "ok":
            why = f": {readings.gaps[0].reason}" if readings.gaps else ""
            rest = sum(size for _, size in columns[1:]) + GAP * (len(columns) - 2)
            style = "warn" if readings.state == "late" else "bad"
            spans.append(cell(f"{readings.state}{why}", rest, False, mark + style, action))
            break
        if one.name == "gauge":
            share = memory_share(readings)
            full, empty = gauge(share, width)
            spans.append(exact(full, len(full), mark + _fill(share), action))
            spans.append(exact(empty + " " * gap, len(empty) + gap, f"{mark}dim", action))
        elif one.name == "trend":
            past = lately(view.history, device.id, "busy_percent", width, view.number)
            spans.append(exact(bars(past, width, 100.0) + " " * gap, width + gap, f"{mark}curve", action))
        else:
            text, style = _told(device, readings, one.name)
            if one.name == "memory" and columns_of(text) > width:
                text = _shorter(text, memory_share(readings), width)
            spans.append(cell(text, width, one.right, mark + ("dim" if text == DASH else style), action, gap))
    return tuple(spans)


def _shorter(text: str, share: float | None, width: int) -> str:
    """Return an amount of memory without its unit, or as a percentage."""
    bare = text.rpartition(" ")[0]
    return bare if len(bare) <= width or share is None else f"{share * 100:.0f} %"


def _told(device: Device, readings: Readings, name: str) -> tuple[str, str]:
    if name == "device":
        return _indented(device), {"critical": "bad", "warning": "warn"}.get(readings.health, "id")
    if name == "name":
        return name_of(device), ""
    if name == "memory":
        return _memory(readings), _fill(memory_share(readings))
    if name == "power":
        return _power(readings), ""
    if name == "health":
        return (DASH if readings.health == "unknown" else readings.health), _HEALTH[readings.health]
    if name == "down":
        return _down(readings), "warn" if _is_hot(readings) else "dim"
    if name == "pcie":
        return _rates(readings.pcie_sent_bytes_per_second, readings.pcie_received_bytes_per_second), ""
    if name == "links":
        return _rates(readings.link_sent_bytes_per_second, readings.link_received_bytes_per_second), ""
    value, unit = {
        "busy": (readings.busy_percent, " %"),
        "saturated": (readings.saturated_percent, " %"),
        "memory busy": (readings.memory_busy_percent, " %"),
        "temperature": (readings.temperature_celsius, "°C"),
        "clock": (readings.clock_mhz, " MHz"),
    }[name]
    style = "warn" if name == "temperature" and _is_hot(readings) else "good" if name == "busy" and value else ""
    return amount(value, unit), style


def amount(value: float | None, unit: str) -> str:
    return DASH if value is None else f"{value:.0f}{unit}"


def memory_share(readings: Readings) -> float | None:
    """Return the used fraction of the memory, 0 to 1; None if unknown."""
    if readings.memory_used_bytes is None or not readings.memory_total_bytes:
        return None
    return readings.memory_used_bytes / readings.memory_total_bytes


def name_of(device: Device) -> str:
    """Return the product name without the vendor, which the id shows."""
    return (device.name or DASH).removeprefix(f"{device.vendor} ")


def _memory(readings: Readings) -> str:
    if readings.memory_used_bytes is None and readings.memory_total_bytes is None:
        return DASH
    return of_text(readings.memory_used_bytes, readings.memory_total_bytes).replace("?", DASH)


def _power(readings: Readings) -> str:
    if readings.power_watts is None:
        return DASH
    limit = f"/{readings.power_limit_watts:.0f}" if readings.power_limit_watts is not None else ""
    return f"{readings.power_watts:.0f}{limit} W"


def _down(readings: Readings) -> str:
    if readings.clock_event_reasons is None:
        return DASH
    return ", ".join(readings.clock_event_reasons) or "nothing"


def _is_hot(readings: Readings) -> bool:
    return any(word in reason for reason in readings.clock_event_reasons or () for word in _HOT)


def _rates(sent: float | None, received: float | None) -> str:
    if sent is None and received is None:
        return DASH
    return " / ".join(DASH if value is None else rate_text(value, "B/s") for value in (sent, received))


def _fill(share: float | None) -> str:
    return "" if share is None or share < 0.9 else "warn" if share < 0.98 else "bad"


def _indented(device: Device) -> str:
    """Return the id; for a partition, indented, only the part that distinguishes it from its siblings."""
    return f" └{device.id.rpartition('/')[2]}" if device.parent and "/" in device.id else device.id
