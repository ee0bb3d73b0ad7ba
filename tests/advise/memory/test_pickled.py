"""A pickle is read without unpickling it: plain values come out as they went in, and nothing is ever run."""

import collections
import datetime
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accel.watch.advise.memory.pickled import Refused, plain_of

SHARED = ["one list", 1]
PLAIN = [
    None,
    True,
    [False, 0, -1, 255, 65536, 2**31, -(2**31) - 1, 2**63 - 1, 2**64, -(2**80)],
    [0.0, -1.5, float("inf")],
    ["", "a", "超级", "\ud800", "x" * 300],
    [b"", b"\x00\xff", b"y" * 300],
    {"segments": [{"segment_pool_id": (0, 0), "blocks": ()}], 1: (1, 2, 3, 4), "shared": [SHARED, SHARED]},
    [[n] for n in range(1500)],
    {str(n): n for n in range(1500)},
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_come_out_as_they_went_in(value: Any, protocol: int) -> None:
    if protocol == 2 and "b'" in repr(value):
        pytest.skip("protocol 2 has no bytes: Python looks up a function that makes them")
    found = plain_of(pickle.dumps(value, protocol))
    assert found == value
    assert repr(found) == repr(value)


_words = st.text(max_size=5)
_plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**90), 2**90)
    | st.floats(allow_nan=False)
    | _words
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_words, inner, max_size=4) | st.tuples(inner, inner),
    max_leaves=10,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault
@given(value=_plain, protocol=st.integers(3, 5))
def test_any_plain_value_comes_out_as_it_went_in(value: Any, protocol: int) -> None:
    assert plain_of(pickle.dumps(value, protocol)) == value


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=200), cut=st.integers(0, 400))
def test_damaged_bytes_are_refused_or_make_plain_values(data: bytes, cut: int) -> None:
    whole = pickle.dumps(PLAIN[6], 4)
    for hostile in (data, whole[:cut] + data, whole[:cut]):
        try:
            kinds_of(plain_of(hostile), 0)
        except Refused:
            pass


def kinds_of(value: Any, depth: int) -> None:
    assert type(value) in (type(None), bool, int, float, str, bytes, list, dict, tuple)
    if depth < 5 and isinstance(value, (list, tuple)):
        for one in value:
            kinds_of(one, depth + 1)


class Runs:
    """What runs a command when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._path),)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_nothing_is_run(tmp_path: Path, protocol: int) -> None:
    made = tmp_path / "made"
    data = pickle.dumps({"segments": [Runs(made)]}, protocol)
    with pytest.raises(Refused, match=r"tries to look up or call something \((STACK_)?GLOBAL at byte \d+\)"):
        plain_of(data)
    assert not made.exists()
    pickle.loads(data)  # and that it would have been
    assert made.is_dir()


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        frozenset(),
        bytearray(b"x"),
        complex(1),
        datetime.date(2026, 1, 1),
        collections.OrderedDict(a=1),
        Path("x"),
    ],
    ids=repr,
)
def test_what_is_not_plain_is_refused(value: object) -> None:
    with pytest.raises(Refused):
        plain_of(pickle.dumps(value, 4))


_P = b"\x80\x04"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "truncated"),
        (_P, "truncated"),
        (_P + b".", "damaged"),
        (_P + b"NN.", "damaged"),
        (_P + b"(N.", "damaged"),
        (_P + b"h\x07.", "damaged"),
        (_P + b"]N(e.", "damaged"),
        (_P + b"}(Nu.", "damaged"),
        (_P + b"}(]Nu.", "damaged"),
        (_P + b"})Ns.", "damaged"),
        (_P + b"X" + struct.pack("<I", 2**32 - 1) + b"x.", "truncated"),
        (_P + b"\x8d" + struct.pack("<Q", 2**63) + b"x.", "truncated"),
        (_P + b"\x8b" + struct.pack("<i", 2**30) + b"x.", "damaged"),
        (_P + b"\x8b" + struct.pack("<i", -1) + b"x.", "damaged"),
        (_P + b"\x82\x01.", r"EXT1 at byte 2"),
        (_P + b"Q.", r"BINPERSID at byte 2"),
        (b"I1\n.", "is not a pickle of plain values"),
        (_P + b"]" * 1001, "contains more than is read here"),
        (_P + b"\x8c\x00" * 1001, "contains more than is read here"),
        (_P + b"N" + b"\x94" * 1001, "contains more than is read here"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        plain_of(data, most_things=1000)
