"""Bars as a self-contained SVG picture: a ladder of chips, or a narrow chart for a page.

Colours are attributes, so that a page that embeds the picture can override them by class.
"""

from collections.abc import Sequence
from typing import Final

from accel.apps.render.report.document import Bar, Bars
from accel.apps.render.svg import svg_text

_ROW: Final = 26
_LEFT: Final = 300  # pixels for names
_BARS: Final = 460
_RIGHT: Final = 140  # pixels for figures
_TOP: Final = 48
_NARROW: Final = 360  # pixels: a phone's width; names go above their bars
_NARROW_ROW: Final = 34
_NARROW_NAME: Final = 32  # characters that fit next to a figure


def ladder_svg(title: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """Return the picture of (name, value, value as text), the first at the top; values are at least 0."""
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    width, height = _LEFT + _BARS + _RIGHT, _TOP + _ROW * len(rows) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img">',
        f"<title>{svg_text(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="28" font-size="16" font-weight="600" fill="#1b1f24">{svg_text(title)}</text>',
    ]
    for number, (name, value, text) in enumerate(rows):
        y = _TOP + number * _ROW
        length = max(1.0, _BARS * value / most)
        parts += [
            _text(_LEFT - 10, y + 16, name, anchor="end"),
            _bar(_LEFT, y + 3, length),
            _text(_LEFT + length + 6, y + 16, text, colour="#57606a"),
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def bars_svg(chart: Bars) -> str:
    """Return a chart that scales to the given width, with a text description for accessibility.

    An unknown value has no bar. The page adds any visible title.
    """
    most = chart.whole or max((bar.value or 0.0 for bar in chart.bars), default=0.0) or 1.0
    height = _NARROW_ROW * len(chart.bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_NARROW} {height}" font-size="13" role="img">',
        f"<title>{svg_text(chart.title)}</title>",
        f"<desc>{svg_text(chart.description)}</desc>",
    ]
    for number, bar in enumerate(chart.bars):
        y = number * _NARROW_ROW
        parts += [
            f'<g class="{"chosen" if bar.chosen else "other"}">',
            _text(0, y + 13, _short(bar)),
            _text(_NARROW, y + 13, bar.text, anchor="end"),
            f'<rect class="track" x="0" y="{y + 18}" width="{_NARROW}" height="9" rx="2" fill="#e1e4e8"/>',
        ]
        if bar.value is not None:
            parts.append(_bar(0, y + 18, max(1.0, _NARROW * min(1.0, bar.value / most)), height=9))
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


def _text(x: float, y: int, text: str, anchor: str = "start", colour: str = "#1b1f24") -> str:
    end = ' text-anchor="end"' if anchor == "end" else ""
    return f'<text x="{x:g}" y="{y}"{end} fill="{colour}">{svg_text(text)}</text>'


def _bar(x: int, y: int, length: float, height: int = 18) -> str:
    return f'<rect class="bar" x="{x}" y="{y}" width="{length:.1f}" height="{height}" rx="2" fill="#2f81b7"/>'


def _short(bar: Bar) -> str:
    most = max(8, _NARROW_NAME + 12 - len(bar.text))
    return bar.name if len(bar.name) <= most else f"{bar.name[: most - 1]}…"
