"""Readings as lines: a table updated in place on a terminal, else one line per device and tick.

Busy and saturated are two separate figures. An unknown value is a dash.
"""

from collections.abc import Callable, Sequence
from typing import Final

from accel.apps.render.page import columns_of, fitting
from accel.apps.render.units import clock_text, of_text, rate_text
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.printable import printable
from accel.model.readings import Readings
from accel.text.durations import span_text
from accel.watch.sampling.tick import Happening, Tick

DASH: Final = "-"
_BARS: Final = "▁▂▃▄▅▆▇█"
_TREND: Final = 30  # ticks drawn next to the busy column
_RED, _YELLOW, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Cell:
    """One column of the table. least: its width; keep: priority on a narrow terminal, higher stays longer."""

    head: str
    text: Callable[[Device, Readings], str]
    least: int
    keep: int
    right: bool = True


def _amount(name: str, unit: str) -> Callable[[Device, Readings], str]:
    return lambda _, readings: DASH if (v := getattr(readings, name)) is None else f"{v:.0f}{unit}"


def _memory(_: Device, readings: Readings) -> str:
    if readings.memory_used_bytes is None and readings.memory_total_bytes is None:
        return DASH
    return of_text(readings.memory_used_bytes, readings.memory_total_bytes).replace("?", DASH)


def _power(_: Device, readings: Readings) -> str:
    if readings.power_watts is None:
        return DASH
    limit = f"/{readings.power_limit_watts:.0f}" if readings.power_limit_watts is not None else ""
    return f"{readings.power_watts:.0f}{limit} W"


def _reasons(_: Device, readings: Readings) -> str:
    if readings.clock_event_reasons is None:
        return DASH
    return ",".join(readings.clock_event_reasons) or "nothing"


def _held_by(_: Device, readings: Readings) -> str:
    return DASH if readings.processes is None else str(len(readings.processes))


def _rate(*names: str) -> Callable[[Device, Readings], str]:
    def text(_: Device, readings: Readings) -> str:
        values = [getattr(readings, name) for name in names]
        return DASH if None in values else " / ".join(rate_text(value, "B/s") for value in values)

    return text


_USUAL: Final = (
    _Cell("device", lambda device, _: device.id, 8, 9, right=False),
    _Cell("busy", _amount("busy_percent", " %"), 5, 9),
    _Cell("saturated", _amount("saturated_percent", " %"), 9, 8),
    _Cell("mem busy", _amount("memory_busy_percent", " %"), 8, 2),
    _Cell("memory", _memory, 14, 7),
    _Cell("temp", _amount("temperature_celsius", " °C"), 5, 6),
    _Cell("power", _power, 11, 5),
    _Cell("clock", _amount("clock_mhz", " MHz"), 8, 3),
    _Cell("procs", _held_by, 5, 1),
    _Cell("held down by", _reasons, 12, 4, right=False),
)
_ACTIVITY: Final = (
    _Cell("tensor", _amount("tensor_percent", " %"), 6, 4),
    _Cell("mem bandw", _amount("memory_bandwidth_percent", " %"), 9, 4),
)
_LINKS: Final = (
    _Cell("pcie out/in", _rate("pcie_sent_bytes_per_second", "pcie_received_bytes_per_second"), 21, 4),
    _Cell("links out/in", _rate("link_sent_bytes_per_second", "link_received_bytes_per_second"), 21, 4),
)


class Table:
    """How ticks are shown. activity, links: include the columns for what is only measured on demand.

    colour  whether the terminal supports it
    """

    def __init__(self, *, activity: bool = False, links: bool = False, colour: bool = False) -> None:
        self._cells = [*_USUAL[:3], *(_ACTIVITY if activity else ()), *_USUAL[3:7], *(_LINKS if links else ())]
        self._cells += _USUAL[7:]
        self._colour = colour
        self._trends: dict[str, list[float | None]] = {}

    def head(self, tick: Tick) -> str:
        """Return the header for the lines of `lines`."""
        cells = self._sized(tick.devices)
        return f"{'time':<8}  {_line([one.head for one, _ in cells], cells)}"

    def lines(self, tick: Tick) -> list[str]:
        """Return one line per device, all of the same width."""
        cells = self._sized(tick.devices)
        moment = clock_text(tick.time)
        shown = zip(tick.devices, tick.readings, strict=True)
        return [f"{moment}  {self._row(device, readings, cells)}".rstrip() for device, readings in shown]

    def screen(
        self, tick: Tick, size: tuple[int, int], told: Sequence[tuple[float, Happening]], last: str
    ) -> list[str]:
        """Return the lines of a terminal: the time, the table, recent events. They fit the terminal's size.

        size  columns and lines; last: a line at the bottom
        """
        width, height = size
        cells = self._fitting(tick, width)
        self._remember(tick)
        room = width - sum(taken + 2 for _, taken in cells)
        trend = min(_TREND, room) if room >= 8 else 0
        lines = [self._styled(_BOLD, f"{clock_text(tick.time)}  {_count(tick)}, for {span_text(tick.seconds)}"), ""]
        lines.append(self._styled(_DIM, _line([one.head for one, _ in cells], cells)))
        tail = [*(f"{clock_text(moment)}  {happening.text}" for moment, happening in told[-3:]), last]
        shown = list(zip(tick.devices, tick.readings, strict=True))
        fits = max(1, height - len(lines) - len(tail) - 2)
        for device, readings in shown[:fits]:
            row = self._row(device, readings, cells)
            if trend and readings.state == "ok":
                row = f"{row}  {_trend(self._trends[readings.id][-trend:])}"
            lines.append(self._styled(_RED if readings.state in ("gone", "failed", "hung") else "", row))
        if len(shown) > fits:
            lines.append(self._styled(_YELLOW, f"{len(shown) - fits} more do not fit: name those to be watched"))
        return [_cut(line, width) for line in (*lines, "", *(self._styled(_DIM, one) for one in tail))]

    def _row(self, device: Device, readings: Readings, cells: Sequence[tuple[_Cell, int]]) -> str:
        if readings.state == "ok":
            return _line([one.text(device, readings) for one, _ in cells], cells)
        why = f": {readings.gaps[0].reason}" if readings.gaps else ""
        return f"{printable(device.id):<{cells[0][1]}}  {readings.state}{printable(why)}"

    def _sized(self, devices: Sequence[Device]) -> list[tuple[_Cell, int]]:
        longest = max((len(device.id) for device in devices), default=0)
        return [(one, max(one.least, longest if place == 0 else 0)) for place, one in enumerate(self._cells)]

    def _fitting(self, tick: Tick, width: int) -> list[tuple[_Cell, int]]:
        """Return the columns that fit; those without known values are dropped first."""
        cells = self._sized(tick.devices)
        shown = list(zip(tick.devices, tick.readings, strict=True))
        while len(cells) > 2 and sum(size + 2 for _, size in cells) - 2 > width:
            cells.remove(min(cells, key=lambda one: (any(one[0].text(*each) != DASH for each in shown), one[0].keep)))
        return cells

    def _remember(self, tick: Tick) -> None:
        now = {readings.id: readings.busy_percent for readings in tick.readings}
        self._trends = {name: [*self._trends.get(name, [])[1 - _TREND :], busy] for name, busy in now.items()}

    def _styled(self, style: str, text: str) -> str:
        text = printable(text)
        return f"{style}{text}{_PLAIN}" if style and self._colour else text


def happening_text(tick: Tick, happening: Happening) -> str:
    """Return the sentence for an event, with its time."""
    return f"{clock_text(tick.time)}  {printable(happening.text)}"


def _count(tick: Tick) -> str:
    away = sum(readings.state != "ok" for readings in tick.readings)
    number = len(tick.devices)
    return f"{number} device{'' if number == 1 else 's'}" + (f", {away} without readings" if away else "")


def _line(texts: Sequence[str], cells: Sequence[tuple[_Cell, int]]) -> str:
    parts = []
    for text, (one, size) in zip(texts, cells, strict=True):
        room = " " * max(0, size - columns_of(text))
        parts.append(f"{room}{text}" if one.right else f"{text}{room}")
    return "  ".join(parts).rstrip()


def _trend(values: Sequence[float | None]) -> str:
    last = len(_BARS) - 1
    return "".join(" " if v is None else _BARS[min(last, max(0, round(v / 100 * last)))] for v in values)


def _cut(line: str, width: int) -> str:
    """Return the part of a line that fits the terminal; styles are kept."""
    if not line.startswith("\x1b"):
        return line if columns_of(line) <= width else line[: fitting(line, width)]
    style, _, rest = line.partition("m")
    text = rest.removesuffix(_PLAIN)
    text = text if columns_of(text) <= width else text[: fitting(text, width)]
    return f"{style}m{text}{_PLAIN}"
