"""A ladder of chips as an SVG bar chart that needs no other file."""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

_ROW: Final = 26
_LEFT: Final = 300  # pixels for names
_BARS: Final = 460
_RIGHT: Final = 140  # pixels for figures
_TOP: Final = 48


def ladder_svg(title: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """Return the picture of (name, value, the value as read), the first at the top; values are at least 0."""
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    width, height = _LEFT + _BARS + _RIGHT, _TOP + _ROW * len(rows) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="28" font-size="16" font-weight="600" fill="#1b1f24">{escape(title)}</text>',
    ]
    for number, (name, value, text) in enumerate(rows):
        y = _TOP + number * _ROW
        length = max(1.0, _BARS * value / most)
        parts += [
            f'<text x="{_LEFT - 10}" y="{y + 16}" text-anchor="end" fill="#1b1f24">{escape(name)}</text>',
            f'<rect x="{_LEFT}" y="{y + 3}" width="{length:.1f}" height="18" rx="2" fill="#2f81b7"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{y + 16}" fill="#57606a">{escape(text)}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
