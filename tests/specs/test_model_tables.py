"""Mistakes in the tables of specs/models are named with their place, and rows have the fields that readers know."""

from copy import deepcopy
from typing import Any

import pytest

from accel.apps import api
from accel.footprint.families import Family
from accel.footprint.towers import Tower
from accel.model.dataclass import field_names
from accel.specs.schema import fields_of
from accel.specs.validate import _of_references, _of_table

_NAMES = ("families", "formats", "training", "defaults")


def mistakes(name: str, table: dict[str, Any]) -> list[str]:
    return [*_of_table(f"models/{name}", table)] or [*_of_references(f"models/{name}", table, {})]


def _table(name: str) -> dict[str, Any]:
    found = api._specs().table(f"models/{name}")
    assert isinstance(found, dict)
    return deepcopy(found)


@pytest.mark.parametrize("name", _NAMES)
def test_the_tables_are_without_mistakes(name: str) -> None:
    assert mistakes(name, _table(name)) == []


def test_a_row_may_state_what_its_reader_knows_and_nothing_else() -> None:
    assert set(fields_of("family")) - {"of"} == set(field_names(Family()))
    assert set(fields_of("tower")) - {"of"} == set(field_names(Tower()))


@pytest.mark.parametrize(
    ("name", "key", "row", "says"),
    [
        ("families", "families", {"of": ["x"], "norn": "rms"}, "norn: expected a known field (did you mean norm"),
        ("families", "families", {"of": ["x"], "mlp": "wide"}, "mlp: expected one of gated, plain, none"),
        ("families", "families", {"of": ["x"], "qkv_bias": "attention_bias"}, "of the config"),
        ("families", "families", {"of": ["llama"]}, "'llama' is in row 0 as well"),
        ("families", "towers", {"of": ["x"], "frames": 0}, "frames"),
        ("formats", "formats", {"of": ["q9"], "block": 32}, "bytes: expected a value"),
        ("formats", "mixtures", {"of": ["q9"], "base": "q9_z", "head": "q6_k"}, "'q9_z'"),
        ("training", "optimizers", {"of": ["x"], "bytes": -1}, "bytes for each parameter"),
        ("training", "overheads", {"backend": "x", "bytes": 5, "low": 9, "high": 10}, "from low to high"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_is_named_with_its_place(name: str, key: str, row: dict[str, Any], says: str) -> None:
    table = _table(name)
    table[key] = [*table[key], row]
    found = mistakes(name, table)
    assert any(says in one and one.startswith(f"{key}[") for one in found), found
