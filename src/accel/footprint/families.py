"""Families of models: the parts of their layers, from the table models/families."""

from collections.abc import Mapping
from typing import Any

from accel.model.dataclass import dataclass
from accel.specs.load import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family; fields that its row omits have the defaults here.

    A value "=name|other" refers to a field of the config.

    norm          "rms" or "weight": one weight per channel; "layer": a weight and a bias; "none": without parameters
    norms         of the hidden size in each layer; sub_norms: further ones inside attention and MLP, as in BitNet
    final_norm, embedding_norm, first_norm   after the last layer, after the embedding, before attention of layer 0
    mlp           "gated": three matrices, "plain": two, "none"
    qkv_bias, o_bias, mlp_bias, head_bias    biases of the projections and of the output layer
    qk_norm       of queries and keys: "head": head_dim each, "flat": all heads, "none"
    attention     "full": keys and values per head; "latent": DeepSeek's compressed ones; "none"
    output_gate   the query projection is twice as wide, half of it a gate
    sinks         a learned sink per head; "window": only in layers with a window
    positions     length of a learned position table; position_offset: additional rows
    token_types   rows of a segment embedding table
    tie           whether the output layer is the embedding, unless the config says otherwise
    moe           some layers have experts; shared_gate, router_bias, expert_bias: their additional parts
    linear        the mixer of layers without attention: "mamba", "mamba2", "delta_net", "short_conv", "rg_lru", …
    both          each layer has attention and such a mixer in parallel
    window        the config's window applies; window_every: one layer out of this many has full attention
    chunked       such layers attend to a chunk of the text (Llama 4)
    ffn           meaning of the config's intermediate size: "half" of both halves of a gated MLP, "two_thirds" (LFM2)
    pattern       the layers' repeating kinds, if the config does not list them: "linear", "window", "full"
    factored      the embedding is narrower (`embedding_size`), and projected up
    shared_layers all layers share the same weights
    activation    parameters of the activation function in each layer
    router_correction   a bias of the router in addition to its matrix, for load balancing of experts
    encoder       no cache is kept; pooler: a dense layer on the first token; head: an output layer over the vocabulary
    """

    norm: str = "rms"
    norms: int = 2
    sub_norms: bool = False
    final_norm: bool = True
    first_norm: bool = True
    embedding_norm: bool = False
    mlp: str = "gated"
    qkv_bias: Any = False
    o_bias: Any = False
    mlp_bias: Any = False
    head_bias: Any = False
    qk_norm: Any = "none"
    attention: str = "full"
    output_gate: bool = False
    sinks: Any = False
    positions: Any = 0
    position_offset: int = 0
    token_types: Any = 0
    tie: bool = False
    moe: bool = False
    shared_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    linear: str = "none"
    both: bool = False
    window: Any = True
    window_every: Any = None
    chunked: bool = False
    ffn: str = "as stated"
    pattern: Any = ()
    factored: bool = False
    shared_layers: bool = False
    activation: int = 0
    router_correction: bool = False
    encoder: bool = False
    pooler: bool = False
    head: bool = True


def family_of(specs: Specs, model_type: str | None, config: Mapping[str, Any]) -> Family | None:
    """Return the family of a `model_type`, with its values read from the config; None if the table lacks it."""
    rows = specs.cached("model families", lambda: _by_name(specs))
    row = rows.get(model_type or "")
    if row is None:
        return None
    return Family(**{name: read_value(value, config) for name, value in row.items() if name != "of"})


def _by_name(specs: Specs) -> dict[str, Mapping[str, Any]]:
    table = specs.table("models/families") or {}
    return {name: row for row in table.get("families") or () for name in row["of"]}


def read_value(value: Any, config: Mapping[str, Any]) -> Any:
    """Return a table's value, read from the config if it starts with "="."""
    if not (isinstance(value, str) and value.startswith("=")):
        return value
    name, _, other = value[1:].partition("|")
    found = config.get(name)
    if found is not None:
        return found
    return {"true": True, "false": False, "": False}.get(other, int(other) if other.isdecimal() else other)
