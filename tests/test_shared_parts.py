"""The workers of one run compute each part of shared work once, and none waits while there is another part to do."""

from pathlib import Path

import pytest

pytest.importorskip("fcntl")
from shared_parts import SharedParts


def test_a_part_that_one_worker_computed_is_loaded_by_the_others(tmp_path: Path) -> None:
    computed: list[int] = []

    def square(number: int) -> int:
        computed.append(number)
        return number * number

    one, other = (SharedParts(tmp_path, 4) for _ in range(2))
    assert [one.load(number, square) for number in (2, 3)] == [4, 9]
    assert [other.load(number, square) for number in (3, 2, 1)] == [9, 4, 1]
    assert [one.load(number, square) for number in range(4)] == [0, 1, 4, 9]
    assert computed == [2, 3, 1, 0]


def test_a_worker_does_another_part_while_the_wanted_one_is_taken(tmp_path: Path) -> None:
    one, other = (SharedParts(tmp_path, 2) for _ in range(2))
    seen: list[str] = []

    def second(number: int) -> str:
        seen.append(f"other does {number}")
        raise KeyboardInterrupt  # it would wait for part 0, which this process holds

    def first(number: int) -> str:
        with pytest.raises(KeyboardInterrupt):
            other.load(0, second)
        return "done"

    assert one.load(0, first) == "done"
    assert seen == ["other does 1"]


def test_a_part_that_raises_is_left_to_others(tmp_path: Path) -> None:
    one, other = (SharedParts(tmp_path, 1) for _ in range(2))
    with pytest.raises(ZeroDivisionError):
        one.load(0, lambda number: 1 // number)
    assert other.load(0, lambda number: "done") == "done"
