"""Parameters computed from configs equal those of the modules that transformers builds of them.

counted.jsonl holds, for each model type of transformers 5.24.0 whose figure is equal, the default configuration of its
class with the fields that accel reads, and the parameters of the module made from it on the meta device. known.jsonl
holds configurations in the forms that hubs have, which leave out what classes default.
"""

import json
from pathlib import Path

import pytest

from accel.apps import api
from accel.footprint.config import shape_of
from accel.model.errors import BadInput

_HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["counted", "known"])
def test_parameters_are_those_of_the_built_modules(name: str) -> None:
    specs, wrong = api._specs(), []
    rows = [json.loads(line) for line in (_HERE / f"{name}.jsonl").read_text().splitlines()]
    for row in rows:
        shape = shape_of(row["config"], specs)
        if shape.parameters != row["parameters"] or shape.origin != "computed":
            label = row.get("name") or row["config"]["model_type"]
            wrong.append(f"{label}: {shape.origin} {shape.parameters}, and it has {row['parameters']}")
    assert len(rows) > 20
    assert wrong == []


def test_an_unknown_architecture_is_estimated_with_a_band_and_said() -> None:
    config = {
        "model_type": "dorado",
        "hidden_size": 1024,
        "num_hidden_layers": 8,
        "num_attention_heads": 8,
        "vocab_size": 1000,
    }
    shape = shape_of(config, api._specs())
    assert shape.origin == "estimated"
    assert shape.band == pytest.approx(0.15)
    assert "dorado" in shape.gaps[0]
    wide = shape_of({**config, "adapter_rank": 64}, api._specs())
    assert wide.band == pytest.approx(0.5)
    assert "adapter_rank" in wide.gaps[0]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model_type": "llama", "hidden_size": "wide"},
        {"model_type": "dorado", "hidden_size": 64},
        {"model_type": "llama", "hidden_size": -4096},
        {"model_type": "llama", "num_hidden_layers": 10**9},
        {"model_type": "llama", "vocab_size": 10**15},
        {"model_type": "bart", "is_encoder_decoder": True, "d_model": None},
    ],
    ids=["empty", "word for a size", "no layers", "negative", "a milliard layers", "a claim of 10^15", "null"],
)
def test_a_config_that_is_none_is_refused_with_a_sentence(config: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"\.$|heads 32$"):
        shape_of(config, api._specs())
