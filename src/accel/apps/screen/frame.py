"""Renders the whole screen as lines, for any size. Pure: the same view and size give the same lines."""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.units import clock_text, plural
from accel.apps.screen import devices_table, processes_table
from accel.apps.screen.boxes import over
from accel.apps.screen.cells import Line, Span, filled, fitted, width_of
from accel.apps.screen.curves import panel, rule
from accel.apps.screen.view import Held, View
from accel.text.durations import span_text

_GRAPHS_FROM: Final = 30  # screen height from which curves are shown by default
_CURVE_LINES: Final = 7  # including a rule and their headers
_MOST_CURVE_LINES: Final = 10


def frame(view: View, width: int, height: int) -> list[Line]:
    """Return `height` lines of exactly `width` columns."""
    shown = view.processes()
    devices, curves, processes = _heights(view, len(shown), height)
    view.curves = curves > 0
    place = next((n for n, (device, _) in enumerate(view.devices) if device.id == view.device), 0)
    first = _first(view, "devices", devices, place)
    lines = [_title(view, width, devices)]
    if view.tick is not None and not view.devices:
        lines += [(), (Span(" No device was found. Find out why:  accel doctor", "warn"),)]
    elif view.devices:
        columns = devices_table.widths(view, width)
        lines.append(devices_table.head(columns))
        lines += devices_table.lines(view, columns, first, devices)
        lines += panel(view, width, curves)
        if processes:
            lines += _processes(view, shown, width, processes)
    lines += [()] * (height - 1 - len(lines))
    lines = [*lines[: height - 1], _foot(view, width)][:height]
    return over(view, [filled(line, width) for line in lines], width, height)


def _heights(view: View, processes: int, height: int) -> tuple[int, int, int]:
    """Return the number of lines for devices (without their header), curves and processes."""
    count = len(view.devices)
    left = height - 3  # minus title, device header, footer
    wants_curves = view.graphs if view.graphs is not None else height >= _GRAPHS_FROM
    curves = _CURVE_LINES if wants_curves and left >= _CURVE_LINES + 6 else 0
    some = max(1, processes) + 2  # plus rule and header; one line says if there are none
    below = min(some, max(left - curves - count, (left - curves) // 2))
    below = below if below > 2 and left - curves - below > 0 else 0
    devices = max(1, min(count, left - curves - below))
    if curves:
        curves += max(0, min(_MOST_CURVE_LINES - curves, left - curves - devices - some))
    return devices, curves, max(0, left - curves - devices) if below else 0


def _first(view: View, pane: str, room: int, place: int) -> int:
    """Return the first visible line of a pane, so that the selected one is visible; remember it."""
    count = len(view.devices) if pane == "devices" else len(view.processes())
    first = min(view.first[pane], place, max(0, count - room))
    first = max(first, place - room + 1, 0)
    view.first[pane], view.room[pane] = first, room
    return first


def _processes(view: View, shown: Sequence[Held], width: int, height: int) -> Iterator[Line]:
    """Yield the rule above the processes, their header, and as many of them as fit."""
    room = height - 2
    keys = [held.key for held in shown]
    first = _first(view, "processes", room, keys.index(view.process) if view.process in keys else 0)
    part = f" {first + 1}–{min(len(shown), first + room)} of {len(shown)}" if len(shown) > room else ""
    told = f" processes{part}"
    if view.only_device:
        told += f" of {view.device}"
    if view.filter or view.typing is not None:
        told += f" with “{view.filter if view.typing is None else view.typing}”"
    yield rule(f"{told} ", width)
    columns = processes_table.widths(view, shown, width)
    yield processes_table.head(view, columns)
    if shown:
        yield from processes_table.lines(view, shown[first : first + room], columns)
    else:
        yield (Span(_none(view), "dim"),)


def _none(view: View) -> str:
    if view.filter or view.typing or view.only_device:
        return " None of them. Esc shows all."
    listed = [readings.processes is not None for device, readings in view.devices if device.kind != "cpu"]
    if not listed:
        return " No accelerator is visible. If one is missing:  accel doctor"
    return " No process uses a device." if all(listed) else " Who uses the devices is unknown: try  accel ps"


def _title(view: View, width: int, shown: int) -> Line:
    """Return the first line: counts, time, and a hint at the help; the least important parts are dropped first."""
    if view.tick is None:
        return (Span(" accel top ", "name"), Span(" looking at the devices …", "dim"))
    count, first = len(view.devices), view.first["devices"]
    away = sum(readings.state != "ok" for _, readings in view.devices)
    when = clock_text(view.tick.time)
    left = [
        Span(f" {first + 1}–{first + shown} of {count} " if shown < count else f" {plural(count, 'device')} ", "title")
    ]
    right: list[Span] = []
    pieces = (
        (left, Span(f" {away} without readings ", "bad"), away > 0),
        (right, Span(" PAUSED ", "warn"), view.paused),
        (right, Span(f" {when} of a record, {span_text(view.tick.seconds)} in ", "title"), view.replayed),
        (right, Span(f" {when} ", "title"), not view.replayed),
        (left, Span(" accel top ", "name"), True),
        (right, Span("? help ", "key", "help"), True),
        (left, Span(f" {view.pids} process{'' if view.pids == 1 else 'es'} ", "title"), True),
        (left, Span(f" {view.host} ", "dim"), bool(view.host)),
    )
    for side, span, wanted in pieces:
        if wanted and width_of((*left, *right, span)) <= width:
            side.insert(0 if span.style == "name" else len(side), span)
    return (*left, Span(" " * max(0, width - width_of((*left, *right)))), *right)


def _foot(view: View, width: int) -> Line:
    """Return the last line: a question, a notice, or the keys."""
    if view.typing is not None:
        return (
            Span(" filter: ", "key"),
            Span(view.typing),
            Span("▏", "key"),
            Span("  Enter keeps it, Esc drops it", "dim"),
        )
    if view.notice:
        return (Span(fitted(f" {view.notice}", width), "warn"),)
    if view.happening is not None:
        bad = view.happening.kind in ("gone", "hung", "failed")
        return (Span(fitted(f" {view.happening.text}", width), "bad" if bad else "warn"),)
    return tuple(_keys(view, width))


def _keys(view: View, width: int) -> Iterator[Span]:
    keys = [("q", "quit", "quit"), ("/", "filter", "filter"), ("s", f"sorted by {view.sort}", "sort-next")]
    if view.replayed:
        keys += [("←→", "10 s", "forward"), ("+-", "speed", "faster")]
    else:
        keys += [("k", "end process", "end")]
    keys += [("Enter", "this device only", "only"), ("Tab", "other list", "pane"), ("g", "curves", "graphs")]
    keys += [("p", "pause", "pause"), ("l", "links", "links")]
    used = 1
    yield Span(" ")
    for key, says, action in keys:
        size = len(key) + len(says) + 3
        if used + size > width:
            return
        yield Span(key, "key", action)
        yield Span(f" {says}  ", "dim", action)
        used += size
