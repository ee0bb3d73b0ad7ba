"""Undecided is neither yes nor no, and open numbers decide only what their bounds decide."""

from hypothesis import given
from hypothesis import strategies as st

from accel.specs.export_rules.three_valued import Bounds, all_of, any_of, exactly, negated

TRUTHS = st.sampled_from([True, False, None])


@given(st.lists(TRUTHS))
def test_all_and_any_mirror_each_other(values: list[bool | None]) -> None:
    assert all_of(values) == negated(any_of(negated(value) for value in values))


@given(st.lists(TRUTHS, min_size=1))
def test_settling_what_is_undecided_never_overturns_an_answer(values: list[bool | None]) -> None:
    for settled in (True, False):
        known = [settled if value is None else value for value in values]
        assert all_of(values) in (None, all(known))
        assert any_of(values) in (None, any(known))


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_bounds_decide_as_every_number_in_them_would(one: float, other: float, limit: float) -> None:
    bounds = Bounds(low=min(one, other), high=max(one, other))
    for value in (bounds.low, bounds.high):
        assert bounds.at_least(limit) in (None, value >= limit)
        assert bounds.above(limit) in (None, value > limit)


def test_an_open_number_is_undecided_at_any_limit() -> None:
    assert Bounds().at_least(1.0) is None
    assert Bounds(low=5.0).at_least(5.0) is True
    assert exactly(5.0).above(5.0) is False
