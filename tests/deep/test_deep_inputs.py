"""The inputs of the steps have the answers that are held to be right, and what is wrong is told in a sentence."""

import cmath

import pytest

from accel.measure.programs import deep_inputs


def test_the_product_is_the_product() -> None:
    left, right, product = deep_inputs.matrices(24)
    assert product == [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*right, strict=True)] for row in left
    ]
    assert {abs(one) for row in left for one in row} == {1}


def test_the_transform_is_the_sum_that_defines_it() -> None:
    wave, lines = deep_inputs.signal()
    n = len(wave)
    for k in (0, 5, 6, n - 5):
        found = sum(value * cmath.exp(-2j * cmath.pi * k * t / n) for t, value in enumerate(wave))
        assert abs(found - lines[k]) < 1e-6


def test_the_solution_solves() -> None:
    matrix, side, solution = deep_inputs.equations()
    assert [[sum(a * b[0] for a, b in zip(row, solution, strict=True))] for row in matrix] == side


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([[1, 2], [3, 4]], None),
        ([[1, 2], [3, 4.005]], None),
        ([[1, 2], [3, 5]], "1 of 4 numbers are wrong; the first is 5, and 4 is right."),
        ([[1, float("nan")], [3, 4]], "1 of 4 numbers are wrong; the first is nan, and 2 is right."),
        ([1, 2, 3], "3 numbers came back, not 4."),
    ],
)
def test_a_difference_is_told(found: list[object], said: str | None) -> None:
    assert deep_inputs.difference(found, [[1, 2], [3, 4]], 0.01) == said
