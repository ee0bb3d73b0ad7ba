"""Expressions that the build compiled match as those that are compiled anew; without a good table they all are."""

import gc
import marshal
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import accel.text
from accel.text import cache_patterns, cached_patterns


@cache
def kept_now() -> bytes:
    gc.unfreeze()  # the expressions of what was imported before the tests began
    return cache_patterns.packed([accel.text])


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / cached_patterns.FILE
    monkeypatch.setattr(cached_patterns, "_PATH", str(path))
    cached_patterns._table.cache_clear()
    yield path
    cached_patterns._table.cache_clear()


def test_each_kept_expression_is_the_one_that_the_library_compiles(table: Path) -> None:
    table.write_bytes(kept_now())
    starts, _ = cached_patterns._table()
    kept = [(text, flags) for flags, texts in starts.items() for text in texts]
    assert len(kept) > 50
    for text, flags in kept:
        made, anew = cached_patterns.compiled(text, flags), re.compile(text, flags)
        assert (made, made.flags, made.groupindex) == (anew, anew.flags, anew.groupindex)


def test_an_expression_that_is_not_kept_is_compiled(table: Path) -> None:
    table.write_bytes(kept_now())
    found = cached_patterns.compiled("(?P<word>b+)", 0).search("abb")
    assert found is not None
    assert found["word"] == "bb"


@pytest.mark.parametrize(
    "damaged",
    [
        lambda kept: b"",
        lambda kept: kept[:3],
        lambda kept: kept[:4000],
        lambda kept: kept[:-1],
        lambda kept: kept + b"\0",
        lambda kept: b"\xff" * 64,
        lambda kept: b"\4\0\0\0" + marshal.dumps(None),
    ],
    ids=["empty", "no-head", "cut-in-its-head", "cut-in-its-code", "longer", "foreign", "another-object"],
)
def test_a_damaged_table_holds_nothing(table: Path, damaged: Callable[[bytes], bytes]) -> None:
    table.write_bytes(damaged(kept_now()))
    assert cached_patterns._table()[0] == {}
    assert cached_patterns.compiled("a+", 0).fullmatch("aaa")


def test_the_table_of_another_python_holds_nothing(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table.write_bytes(kept_now())
    monkeypatch.setattr(cached_patterns, "STAMP", ("another",))
    assert cached_patterns._table()[0] == {}
