"""Families of models: which parts their layers have, as the table models/families says."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.specs.load import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family; a field that its row lacks has the default here. A value "=name|other" is a field of the config.

    norm          "rms" or "weight": one weight a channel; "layer": a weight and a bias; "none": without parameters
    norms         of the hidden size in each layer; sub_norms: further ones within attention and MLP, as BitNet has them
    final_norm, embedding_norm, first_norm   after the last layer, after the embedding, before attention of layer 0
    mlp           "gated": three matrices, "plain": two, "none"
    qkv_bias, o_bias, mlp_bias, head_bias    biases of the projections and of the output layer
    qk_norm       of queries and keys: "head": head_dim each, "flat": all heads, "none"
    attention     "full": keys and values by head; "latent": DeepSeek's compressed ones; "none"
    output_gate   the query projection is twice as wide, half of it a gate
    sinks         a learned sink for each head; "window": in the layers with a window
    positions     length of a learned table of positions; position_offset: rows more than that
    token_types   rows of a table of segment embeddings
    tie           whether the output layer is the embedding, where the config is silent
    moe           some layers have experts; shared_gate, router_bias, expert_bias: what these have as well
    linear        what layers without attention have: "mamba", "mamba2", "delta_net", "short_conv", "rg_lru", …
    both          each layer has attention and such a mixer side by side
    window        the config's window holds; window_every: one layer of so many sees the whole text
    chunked       such layers see a chunk of the text (Llama 4)
    ffn           what the config's intermediate size is: "half" of both halves of a gated MLP, "two_thirds" (LFM2)
    pattern       what layers have in turn, where the config does not list it: "linear", "window", "full"
    factored      the embedding is narrower (`embedding_size`), and widened
    shared_layers all layers have the same weights
    activation    parameters of the activation function in each layer
    router_correction   a bias of the router beside its matrix, for the balance of experts
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


def family_of(specs: "Specs", model_type: str | None, config: Mapping[str, Any]) -> Family | None:
    """Return the family of a `model_type`, its values read from the config; None for one that the table lacks."""
    rows = specs.cached("model families", lambda: _by_name(specs))
    row = rows.get(model_type or "")
    if row is None:
        return None
    return Family(**{name: read_value(value, config) for name, value in row.items() if name != "of"})


def _by_name(specs: "Specs") -> dict[str, Mapping[str, Any]]:
    table = specs.table("models/families") or {}
    return {name: row for row in table.get("families") or () for name in row["of"]}


def read_value(value: Any, config: Mapping[str, Any]) -> Any:
    """Return what a table says, read from the config where it begins with "="."""
    if not (isinstance(value, str) and value.startswith("=")):
        return value
    name, _, other = value[1:].partition("|")
    found = config.get(name)
    if found is not None:
        return found
    return {"true": True, "false": False, "": False}.get(other, int(other) if other.isdecimal() else other)
