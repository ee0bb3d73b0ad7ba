"""Graphs in text: Braille dots, two columns and four rows per character, or bars. Unknown values are blank.

Two ticks make one character, always the same two, and only complete characters are shown: the picture moves on every
second tick, so half of the ticks cost neither time nor output to the terminal.
"""

from functools import cache, lru_cache
from typing import Final

from accel.watch.sampling.history import History

_DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))  # a character's two columns, from the bottom up
_BLANK: Final = 0x2800
_BARS: Final = " ▁▂▃▄▅▆▇█"
_ROWS: Final = 4  # dots per character, vertically

Values = tuple[float | None, ...]


def _sign(left: int, right: int) -> str:
    dots = sum(_DOTS[0][:left]) + sum(_DOTS[1][:right])
    return chr(_BLANK + dots) if dots else " "


_SIGNS: Final = tuple(tuple(_sign(left, right) for right in range(_ROWS + 1)) for left in range(_ROWS + 1))


@lru_cache(64)
def area(values: Values, width: int, height: int, most: float) -> tuple[str, ...]:
    """Return rows from top to bottom: the values as a filled area from 0 to `most`, the newest at the right.

    values  as returned by `lately`
    """
    scale = height * _ROWS / most if most > 0 else 0.0
    levels = [0] * (width * 2 - len(values)) + [_level(value, height * _ROWS, scale) for value in values]
    rows = []
    for part_of in _parts(height):
        parts = [part_of[level] for level in levels]
        rows.append("".join([_SIGNS[left][right] for left, right in zip(parts[::2], parts[1::2], strict=True)]))
    return tuple(rows)


@lru_cache(256)
def bars(values: Values, width: int, most: float) -> str:
    """Return one line, with one bar for each pair of values: the higher one. values: as returned by `lately`."""
    scale = 8 / most
    levels = [0] * (width * 2 - len(values)) + [_level(value, 8, scale) for value in values]
    return "".join([_BARS[max(pair)] for pair in zip(levels[::2], levels[1::2], strict=True)])


def lately(history: History, device: str, reading: str, width: int, number: int) -> Values:
    """Return the value pairs for `width` characters, newest last; an incomplete pair is left out.

    number  of the newest tick, counted from 0
    """
    single = 1 - number % 2
    values = history.last(device, reading, width * 2 + single)
    if single:
        values = values[:-1]
    return tuple(values[len(values) % 2 :])


@cache
def _parts(height: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each row from the top, the number of dots filled in a character at each level."""
    steps = height * _ROWS
    lows = range(steps - _ROWS, -1, -_ROWS)
    return tuple(tuple(max(0, min(_ROWS, level - low)) for level in range(steps + 1)) for low in lows)


def gauge(share: float | None, width: int) -> tuple[str, str]:
    """Return the filled and the empty part of a bar; both blank if the share is unknown."""
    if share is None:
        return "", " " * width
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full, "░" * (width - full)


def _level(value: float | None, steps: int, scale: float) -> int:
    """Return the number of filled steps: 0 if unknown, else at least 1, even for 0."""
    return 0 if value is None or not scale else max(1, min(steps, round(value * scale)))
