"""Inputs with known results that need no library: integers that every format represents exactly.

The product of two matrices of +1 and -1, at most 256 wide, has sums that bf16 still represents; it is computed here
with bit operations on Python integers, so that no other library's kernel has to be trusted.
"""

from __future__ import annotations

import cmath
import math
import random
from typing import Any

SIZE = 128  # matrix size: a tile of every matrix unit
_WINDOW = 3
_CHANNELS = 4
_IMAGE = 12
SIGNAL = 256
_WAVES = 5
_ORDER = 16


def matrices(size: int = SIZE) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """Return two square matrices of +1 and -1, and their product."""
    made = random.Random(27)
    rows = [made.getrandbits(size) for _ in range(size)]
    columns = [made.getrandbits(size) for _ in range(size)]
    left = [[1 if row >> k & 1 else -1 for k in range(size)] for row in rows]
    right = [[1 if column >> k & 1 else -1 for column in columns] for k in range(size)]
    product = [[size - 2 * bin(row ^ column).count("1") for column in columns] for row in rows]
    return left, right, product


def images() -> tuple[list[Any], list[Any], list[Any]]:
    """Return an image [1][channel][y][x], filters [out][channel][y][x], and their convolution without padding."""
    made = random.Random(28)

    def signs(*shape: int) -> Any:
        return [signs(*shape[1:]) for _ in range(shape[0])] if shape else made.choice((-1, 1))

    image, filters = signs(1, _CHANNELS, _IMAGE, _IMAGE), signs(_CHANNELS, _CHANNELS, _WINDOW, _WINDOW)
    across = range(_WINDOW)
    out = range(_IMAGE - _WINDOW + 1)
    convolved = [
        [
            [
                [
                    sum(
                        image[0][c][y + v][x + u] * one[c][v][u]
                        for c in range(_CHANNELS)
                        for v in across
                        for u in across
                    )
                    for x in out
                ]
                for y in out
            ]
            for one in filters
        ]
    ]
    return image, filters, convolved


def signal() -> tuple[list[float], list[complex]]:
    """Return a wave of SIGNAL values, and its Fourier transform: two spectral lines."""
    turn = 2 * math.pi * _WAVES / SIGNAL
    lines = [0j] * SIGNAL
    lines[_WAVES] = lines[-_WAVES] = complex(SIGNAL / 2)
    return [cmath.exp(1j * turn * n).real for n in range(SIGNAL)], lines


def equations() -> tuple[list[list[float]], list[list[float]], list[list[float]]]:
    """Return a diagonally dominant matrix, and a right-hand side and its solution, each a single column."""
    made = random.Random(29)
    matrix = [
        [float(made.choice((-1, 1))) + (2 * _ORDER if x == y else 0) for x in range(_ORDER)] for y in range(_ORDER)
    ]
    solution = [[float(y % 5 - 2)] for y in range(_ORDER)]
    side = [[sum(a * b[0] for a, b in zip(row, solution))] for row in matrix]  # noqa: B905  (Python 3.8)
    return matrix, side, solution


def flat(values: Any) -> list[Any]:
    """Return the numbers of nested lists in order."""
    return [one for part in values for one in flat(part)] if isinstance(values, (list, tuple)) else [values]


def difference(found: Any, right: Any, allowed: float) -> str | None:
    """Return a sentence on what is wrong in nested lists of numbers; None if nothing is."""
    got, wanted = flat(found), flat(right)
    if len(got) != len(wanted):
        return f"{len(got)} numbers came back, not {len(wanted)}."
    apart = [abs(one - other) for one, other in zip(got, wanted)]  # noqa: B905  (Python 3.8)
    wrong = [n for n, one in enumerate(apart) if not one <= allowed]  # NaN is wrong, too
    if not wrong:
        return None
    first = wrong[0]
    return f"{len(wrong)} of {len(got)} numbers are wrong; the first is {got[first]:g}, and {wanted[first]:g} is right."
