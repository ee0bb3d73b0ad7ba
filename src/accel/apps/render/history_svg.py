"""A watch recording as an SVG picture: one panel per reading, one line per device, gaps where nothing was known.

The picture needs no other file, follows the reader's light or dark theme, and describes its content in words.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.svg import svg_text
from accel.apps.render.units import clock_text, utc_text
from accel.text.durations import span_text
from accel.watch.sampling.condensed import Condensed, Step

_TITLE: Final = "Devices over time"
_WIDTH: Final = 960
_LEFT, _RIGHT, _TOP, _PANEL, _BETWEEN, _BOTTOM = 70, 20, 64, 120, 34, 30
_ROW: Final = 18  # height of a legend row
_MOST_LINES: Final = 8  # devices with their own line; with more, only mean, minimum and maximum are drawn
_COLOURS: Final = ("#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#1b7c83", "#6e7781")
UNITS: Final = {  # reading: panel title, what one device shows, unit, smallest top of the scale
    "busy_percent": ("Busy: share of time in which anything ran", 1.0, "%", 100.0),
    "saturated_percent": ("Saturated: how much of the compute units worked", 1.0, "%", 100.0),
    "tensor_percent": ("Matrix units active", 1.0, "%", 100.0),
    "memory_busy_percent": ("Memory busy: share of time in which it was used", 1.0, "%", 100.0),
    "memory_bandwidth_percent": ("Memory bandwidth used", 1.0, "%", 100.0),
    "memory_used_bytes": ("Memory in use", 2.0**-30, "GiB", 1.0),
    "temperature_celsius": ("Temperature", 1.0, "°C", 50.0),
    "power_watts": ("Power", 1.0, "W", 50.0),
    "clock_mhz": ("Clock of the compute units", 1.0, "MHz", 500.0),
    "pcie_sent_bytes_per_second": ("Sent over PCIe", 1e-9, "GB/s", 0.1),
    "pcie_received_bytes_per_second": ("Received over PCIe", 1e-9, "GB/s", 0.1),
    "link_sent_bytes_per_second": ("Sent over links", 1e-9, "GB/s", 0.1),
    "link_received_bytes_per_second": ("Received over links", 1e-9, "GB/s", 0.1),
}
_STYLE: Final = (
    "text{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0}.mark{stroke:#9a6700}.back{fill:#ffffff}"
    "@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.dim{fill:#9198a1}.grid{stroke:#3d444d}"
    ".back{fill:#0d1117}.mark{stroke:#d29922}}"
)


def history_svg(past: Condensed) -> str:
    """Return the picture; if nothing was watched, it says so."""
    devices, readings = list(past.names), past.readings
    rows = -(-len(devices) // 2) if len(devices) <= _MOST_LINES else 1
    top = _TOP + rows * _ROW + 18
    height = top + max(1, len(readings)) * (_PANEL + _BETWEEN) + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="system-ui, sans-serif" font-size="12" role="img">',
        f"<title>{_TITLE}</title>",
        f"<desc>{svg_text(description(past))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{_WIDTH}" height="{height}"/>',
        f'<text x="12" y="26" font-size="16" font-weight="600">{_TITLE}</text>',
        f'<text class="dim" x="12" y="46">{svg_text(_when(past))}</text>',
        *_legend(past, devices),
    ]
    if not readings:
        parts.append(f'<text x="12" y="{top + 20}">No reading was known in this time.</text>')
    for number, reading in enumerate(readings):
        parts += _panel(past, reading, devices, top + number * (_PANEL + _BETWEEN))
    if readings:
        parts += _times(past, top + len(readings) * (_PANEL + _BETWEEN) - _BETWEEN + 16)
    return "\n".join([*parts, "</svg>"]) + "\n"


def description(past: Condensed) -> str:
    """Describe the picture in words: for each device, the mean and range of the known values."""
    told = []
    for device in past.names:
        facts = []
        for reading in past.readings:
            known = [(s.mean, s.least, s.most) for s in past.steps(device, reading)]
            means, lows, highs = (
                [value for value in column if value is not None] for column in zip(*known, strict=True)
            )
            if means:
                name, factor, unit, _ = UNITS[reading]
                mean, least, most = sum(means) / len(means) * factor, min(lows) * factor, max(highs) * factor
                what = name.partition(":")[0].lower()
                facts.append(f"{what} {mean:.0f} {unit} on average, {least:.0f} to {most:.0f}")
        told.append(f"{device}: {'; '.join(facts) or 'nothing was known'}.")
    return " ".join(told)


def _when(past: Condensed) -> str:
    if past.began is None or past.ended is None:
        return "nothing was watched"
    steps = f", steps of {span_text(past.step_seconds)}" if past.step_seconds > 1 else ""
    return f"{utc_text(past.began)} to {utc_text(past.ended)}: {span_text(past.seconds)}, {past.ticks} ticks{steps}"


def _legend(past: Condensed, devices: Sequence[str]) -> Iterator[str]:
    if len(devices) > _MOST_LINES:
        text = f"{len(devices)} devices: the line is their mean, the band spans the lowest to the highest"
        yield f'<text x="12" y="{_TOP + 6}">{svg_text(text)}</text>'
        return
    for place, device in enumerate(devices):
        x, y = 12 + place % 2 * (_WIDTH // 2), _TOP + place // 2 * _ROW
        name = f"{device}  {past.names[device] or ''}".strip()
        name = name if len(name) <= 60 else f"{name[:59]}…"
        yield f'<line x1="{x}" x2="{x + 18}" y1="{y}" y2="{y}" stroke="{_COLOURS[place]}" stroke-width="3"/>'
        yield f'<text x="{x + 24}" y="{y + 4}">{svg_text(name)}</text>'


def _panel(past: Condensed, reading: str, devices: Sequence[str], top: int) -> Iterator[str]:
    name, factor, unit, least_top = UNITS[reading]
    series = {device: past.steps(device, reading) for device in devices}
    tops = [step.most for steps in series.values() for step in steps if step.most is not None]
    highest = max(tops, default=0.0) * factor
    scale = _nice(max(highest, least_top))
    base = top + _PANEL
    yield f'<text x="{_LEFT}" y="{top - 6}" font-weight="600">{svg_text(name)}</text>'
    for share in (0.0, 0.5, 1.0):
        y = base - share * (_PANEL - 10)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        amount = f"{share * scale:g} {unit}"
        yield f'<text class="dim" x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{svg_text(amount)}</text>'
    for seconds, happening in past.happenings:
        x = _x(past, seconds)
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{top + 10}" y2="{base}" stroke-dasharray="2 3">'
        yield f"<title>{svg_text(happening.text)}</title></line>"
    height = (_PANEL - 10) / scale * factor
    if len(devices) > _MOST_LINES:
        yield from _band(past, list(series.values()), base, height)
        return
    for place, device in enumerate(devices):
        for points in _pieces(past, series[device], base, height):
            yield _line(points, _COLOURS[place])


def _band(past: Condensed, series: Sequence[Sequence[Step]], base: float, height: float) -> Iterator[str]:
    merged = []
    for steps in zip(*series, strict=False):
        known = [step for step in steps if step.mean is not None]
        means = [step.mean for step in known if step.mean is not None]
        merged.append(
            Step(
                mean=sum(means) / len(means) if means else None,
                least=min((step.least for step in known if step.least is not None), default=None),
                most=max((step.most for step in known if step.most is not None), default=None),
            )
        )
    runs: list[list[tuple[float, float, float]]] = [[]]
    for place, step in enumerate(merged):
        if step.least is None or step.most is None:
            runs.append([])
        else:
            x = _x(past, (place + 0.5) * past.step_seconds)
            runs[-1].append((x, base - step.least * height, base - step.most * height))
    for run in runs:
        if run:
            outline = [*((x, low) for x, low, _ in run), *((x, high) for x, _, high in reversed(run))]
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
            yield f'<polygon points="{corners}" fill="{_COLOURS[0]}" fill-opacity="0.25"/>'
    for points in _pieces(past, merged, base, height):
        yield _line(points, _COLOURS[0])


def _pieces(past: Condensed, steps: Sequence[Step], base: float, height: float) -> Iterator[list[tuple[float, float]]]:
    """Yield the points of each stretch without a gap."""
    points: list[tuple[float, float]] = []
    for place, step in enumerate(steps):
        if step.mean is None:
            if points:
                yield points
            points = []
        else:
            points.append((_x(past, (place + 0.5) * past.step_seconds), base - step.mean * height))
    if points:
        yield points


def _line(points: Sequence[tuple[float, float]], colour: str) -> str:
    if len(points) == 1:
        x, y = points[0]
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5" fill="{colour}"/>'
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _times(past: Condensed, y: int) -> Iterator[str]:
    if past.began is None:
        return
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        moment = past.began + share * past.seconds
        text = time.strftime("%d %b %H:%M", time.localtime(moment)) if past.seconds > 86400 else clock_text(moment)
        x, anchor = _x(past, share * past.seconds), {0.0: "start", 1.0: "end"}.get(share, "middle")
        yield f'<text class="dim" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{text}</text>'


def _x(past: Condensed, seconds: float) -> float:
    whole = max(past.seconds, past.step_seconds)
    return _LEFT + min(1.0, seconds / whole) * (_WIDTH - _LEFT - _RIGHT)


def _nice(value: float) -> float:
    """Return the smallest of 1, 2, 5, 10, … that is at least this value.

    >>> [_nice(value) for value in (100.0, 101.0, 0.07, 640.0)]
    [100.0, 200.0, 0.1, 1000.0]
    """
    size = 1e-3
    while True:
        for step in (1.0, 2.0, 5.0):
            if step * size >= value * 0.999999:
                return round(step * size, 6)
        size *= 10
