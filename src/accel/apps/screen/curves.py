"""The selected device's recent history, as curves side by side; curves without data are left out."""

from collections.abc import Iterator
from typing import Final

from accel.apps.render.page import columns_of
from accel.apps.screen.cells import DASH, Line, Span, blank, cell, exact
from accel.apps.screen.devices_table import amount, memory_share, name_of
from accel.apps.screen.graphs import area, lately
from accel.apps.screen.view import View
from accel.model.device import Device
from accel.model.readings import Readings

_NARROWEST: Final = 24
_CURVES: Final = (  # name, header, unit, maximum; None: the device's own
    ("busy_percent", "busy", " %", 100.0),
    ("memory_used_bytes", "memory", "", None),
    ("power_watts", "power", " W", None),
    ("saturated_percent", "saturated", " %", 100.0),
    ("temperature_celsius", "temperature", " °C", 110.0),
    ("memory_busy_percent", "memory busy", " %", 100.0),
)


def panel(view: View, width: int, height: int) -> Iterator[Line]:
    """Yield `height` lines, the first of them headers; none if there is no device."""
    chosen = next(((device, readings) for device, readings in view.devices if device.id == view.device), None)
    if not height or chosen is None or view.tick is None:
        return
    device, readings = chosen
    least = min(width, _NARROWEST)
    known = [
        one
        for one in _CURVES
        if any(value is not None for value in lately(view.history, device.id, one[0], least, view.number))
    ]
    shown = known[: max(1, width // _NARROWEST)]
    size = (width - 2 * (len(shown) - 1)) // len(shown) if shown else width
    yield rule(f" {device.id} {name_of(device)}{view.span(size * 2)} ", width)
    if not shown:
        yield (Span(" Its past is not known yet.", "dim"),)
        yield from [()] * (height - 2)
        return
    heads: list[Span] = []
    rows: list[list[Span]] = [[] for _ in range(height - 2)]
    for name, title, unit, most in shown:
        values = lately(view.history, device.id, name, size, view.number)
        ends = most or _most(readings, device, name) or max((v for v in values if v is not None), default=1.0)
        heads.append(cell(f"{title} {_now(readings, name, unit)}", size, style="title", gap=2))
        for row, signs in zip(rows, area(values, size, height - 2, ends), strict=True):
            row += (exact(signs, size, "curve"), blank(2))
    yield tuple(heads)
    for row in rows:
        yield tuple(row)


def rule(text: str, width: int) -> Line:
    """Return a horizontal rule with a title in it."""
    told = columns_of(text)
    rest = max(0, width - 1 - told)
    return (exact("─", 1, "rule"), Span(text, "title", "", told), exact("─" * rest, rest, "rule"))


def _now(readings: Readings, name: str, unit: str) -> str:
    if name == "memory_used_bytes":
        share = memory_share(readings)
        return DASH if share is None else f"{share * 100:.0f} %"
    return amount(getattr(readings, name), unit)


def _most(readings: Readings, device: Device, name: str) -> float | None:
    if name == "memory_used_bytes":
        return readings.memory_total_bytes or device.memory_total_bytes
    return readings.power_limit_watts or device.power_limit_watts
