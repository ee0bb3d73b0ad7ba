"""Texts of "key : value" lines: what counts where the text breaks off."""

import pytest

from accel.text.pattern import pattern
from accel.text.sections import blocks

HEAD = pattern(r"DEV (?P<index>\d+)")


@pytest.mark.parametrize(
    ("end", "value"),
    [
        ("Size : 42976 MiB\n", "42976 MiB"),
        ("Size : 42976 MiB", "42976 MiB"),
        ("Size : 42976 Mi", None),
        ("Size : 429", None),
        ("Serial : A0000", None),
        ("Serial : A0000\n", "A0000"),
        ("Power : 96 W", "96 W"),
    ],
)
def test_the_value_that_a_text_breaks_off_in_counts_only_with_its_unit(end: str, value: str | None) -> None:
    block = next(blocks(f"DEV 0\n    Info\n        Name : S60\n        {end}", HEAD))
    assert block.get((None, "name")) == "S60"
    assert block.get((None, end.split()[0].lower())) == value
