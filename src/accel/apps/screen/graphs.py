"""Curves out of signs: dots of Braille, two columns and four rows to a sign; or bars. What is not known is a blank.

Two ticks make one sign, always the same two, and only whole signs are shown: the picture moves on at every second tick,
so half of the ticks cost neither time nor bytes to the terminal.
"""

from functools import cache, lru_cache
from typing import Final

from accel.watch.sampling.history import History

_DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))  # of a sign's two columns, from below
_BLANK: Final = 0x2800
_BARS: Final = " ▁▂▃▄▅▆▇█"
_ROWS: Final = 4  # dots of a sign, one over the other

Values = tuple[float | None, ...]


def _sign(left: int, right: int) -> str:
    dots = sum(_DOTS[0][:left]) + sum(_DOTS[1][:right])
    return chr(_BLANK + dots) if dots else " "


_SIGNS: Final = tuple(tuple(_sign(left, right) for right in range(_ROWS + 1)) for left in range(_ROWS + 1))


@lru_cache(64)
def area(values: Values, width: int, height: int, most: float) -> tuple[str, ...]:
    """Return rows, the uppermost first: the values as a filled area of 0 to `most`, the last at the right.

    values  as `lately` gives them
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
    """Return one line, a bar for two values: the higher one. values: as `lately` gives them."""
    scale = 8 / most
    levels = [0] * (width * 2 - len(values)) + [_level(value, 8, scale) for value in values]
    return "".join([_BARS[max(pair)] for pair in zip(levels[::2], levels[1::2], strict=True)])


def lately(history: History, device: str, reading: str, width: int, number: int) -> Values:
    """Return what so many signs show: pairs of values, the newest last; one that lacks its second is left out.

    number  of the newest tick, counted from 0
    """
    single = 1 - number % 2
    values = history.last(device, reading, width * 2 + single)
    if single:
        values = values[:-1]
    return tuple(values[len(values) % 2 :])


@cache
def _parts(height: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each row from the top, how many of a sign's dots a level fills there."""
    steps = height * _ROWS
    lows = range(steps - _ROWS, -1, -_ROWS)
    return tuple(tuple(max(0, min(_ROWS, level - low)) for level in range(steps + 1)) for low in lows)


def gauge(share: float | None, width: int) -> tuple[str, str]:
    """Return the filled and the empty part of a bar; both blank if the share is not known."""
    if share is None:
        return "", " " * width
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full, "░" * (width - full)


def _level(value: float | None, steps: int, scale: float) -> int:
    """Return how many of the steps are filled: none if it is not known, else one at least, of nothing too."""
    return 0 if value is None or not scale else max(1, min(steps, round(value * scale)))
