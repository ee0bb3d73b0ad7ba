"""A device's roofline as an SVG picture: the limits of memory and arithmetic, and what was reached.

Both axes are logarithmic: operations per byte read or written, and operations per second. A thin line is the peak, a
thick one the measurement. The picture is self-contained, and follows the reader's light or dark theme.
"""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

from accel.apps.render.svg import svg_text
from accel.apps.render.units import rate_text

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 210, 56, 48
_ROW: Final = 30  # height of a legend row: two lines of text
_COLOURS: Final = ("#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#1b7c83", "#6e7781")
MOST_ROOFS: Final = len(_COLOURS)
_STYLE: Final = (
    "text{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0}.back{fill:#ffffff}@media "
    "(prefers-color-scheme:dark){text{fill:#f0f6fc}.dim{fill:#9198a1}.grid{stroke:#3d444d}.back{fill:#0d1117}}"
)


class Roof(NamedTuple):
    """A device's limit in one format, in operations per second: its peak if known, and the measured value."""

    name: str
    peak: float | None
    reached: float


class _Axes(NamedTuple):
    """The range of the picture in decades: operations per byte, and operations per second."""

    x0: int
    x1: int
    y0: int
    y1: int

    def x(self, value: float) -> float:
        return _LEFT + (log10(value) - self.x0) / (self.x1 - self.x0) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - (log10(value) - self.y0) / (self.y1 - self.y0) * (_HEIGHT - _TOP - _BOTTOM)


def roofline_svg(title: str, memory_peak: float | None, memory_reached: float, roofs: Sequence[Roof]) -> str:
    """Return the picture; at most MOST_ROOFS roofs are drawn. memory_*: bytes per second. All figures are above 0."""
    shown = roofs[:MOST_ROOFS]
    axes = _axes(max(memory_peak or 0.0, memory_reached), shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img">',
        f"<title>{svg_text(title)}</title>",
        f"<desc>{svg_text(description(memory_peak, memory_reached, roofs))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text x="12" y="26" font-size="16" font-weight="600">{svg_text(title)}</text>',
        '<text class="dim" x="12" y="44">thin: the peak; thick: measured</text>',
        *_grid(axes),
    ]
    for place, roof in enumerate(shown):
        colour = _COLOURS[place]
        if roof.peak is not None and memory_peak is not None:
            parts.append(_roof(axes, memory_peak, roof.peak, colour, 1))
        parts.append(_roof(axes, memory_reached, roof.reached, colour, 3))
        parts += _legend(place, roof, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


def description(memory_peak: float | None, memory_reached: float, roofs: Sequence[Roof]) -> str:
    """Describe the picture in words."""
    told = [f"memory {_of(memory_reached, memory_peak, 'B/s')}"]
    for roof in roofs:
        turn = rate_text(roof.reached / memory_reached, "operations a byte")
        told.append(f"{roof.name} {_of(roof.reached, roof.peak, _unit(roof))}, which memory limits below {turn}")
    return "; ".join(told) + "."


def _unit(roof: Roof) -> str:
    return "OPS" if roof.name.startswith("int") else "FLOPS"


def _of(reached: float, peak: float | None, unit: str) -> str:
    return rate_text(reached, unit) + (f" of {rate_text(peak, unit)}" if peak is not None else "")


def _axes(memory: float, roofs: Sequence[Roof]) -> _Axes:
    """Return decades that show the ridge point of each roof, with margin on both sides."""
    highest = max(max(roof.reached, roof.peak or 0.0) for roof in roofs)
    lowest = min(roof.reached for roof in roofs)
    x0 = floor(log10(lowest / memory)) - 1
    x1 = max(x0 + 3, ceil(log10(highest / memory)) + 1)
    y1 = ceil(log10(highest * 1.05))
    return _Axes(x0, x1, min(floor(log10(lowest)) - 1, y1 - 2), y1)


def _grid(axes: _Axes) -> Iterator[str]:
    right, base = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for power in range(axes.x0, axes.x1 + 1):
        x = axes.x(10.0**power)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{base}"/>'
        yield f'<text class="dim" x="{x:.1f}" y="{base + 16}" text-anchor="middle">{10.0**power:g}</text>'
    for power in range(axes.y0, axes.y1 + 1):
        y = axes.y(10.0**power)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        amount = svg_text(rate_text(10.0**power))
        yield f'<text class="dim" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{amount}</text>'
    middle = (_LEFT + right) / 2
    yield f'<text class="dim" x="{middle:g}" y="{base + 36}" text-anchor="middle">operations for each byte</text>'


def _roof(axes: _Axes, memory: float, operations: float, colour: str, width: int) -> str:
    """Return the line: along the memory bandwidth, then level; it starts where it enters the picture."""
    turn = operations / memory
    start = max(10.0**axes.x0, 10.0**axes.y0 / memory)
    corners = ((start, start * memory), (turn, operations), (10.0**axes.x1, operations))
    points = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in corners)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _legend(place: int, roof: Roof, colour: str) -> Iterator[str]:
    x, y = _WIDTH - _RIGHT + 14, _TOP + 8 + place * _ROW
    yield f'<line x1="{x}" x2="{x + 18}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
    yield f'<text x="{x + 24}" y="{y + 4}">{svg_text(roof.name[:20])}</text>'
    yield f'<text class="dim" x="{x + 24}" y="{y + 18}">{svg_text(_of(roof.reached, roof.peak, _unit(roof)))}</text>'
