"""Parameter counts of the building blocks of models, from their sizes."""

from collections.abc import Mapping
from typing import Any

from accel.footprint.families import Family
from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes in a config, each under a single name."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    intermediate: int
    vocabulary: int


def linear(inputs: int, outputs: int, bias: object) -> int:
    """Return the parameters of a matrix with or without a bias."""
    return inputs * outputs + (outputs if bias else 0)


def norm(family: Family, width: int) -> int:
    """Return the parameters of one normalisation."""
    return {"layer": 2 * width, "none": 0}.get(family.norm, width)


def attention(family: Family, sizes: Sizes, own: bool = True) -> int:
    """Return the parameters of one attention block with queries, keys and values per head.

    own  it has its own keys and values; otherwise it uses those of an earlier layer
    """
    queries, keys = sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim
    total = linear(sizes.hidden, queries * (2 if family.output_gate else 1), family.qkv_bias)
    if own:
        values = sizes.kv_heads * sizes.value_dim
        total += linear(sizes.hidden, keys, family.qkv_bias) + linear(sizes.hidden, values, family.qkv_bias)
    total += linear(sizes.heads * sizes.value_dim, sizes.hidden, family.o_bias)
    if family.qk_norm in ("head", True):
        total += (2 if own else 1) * norm(family, sizes.head_dim)
    elif family.qk_norm == "flat":
        total += norm(family, queries) + norm(family, keys)
    if family.sub_norms:
        total += norm(family, sizes.hidden)
    return total + (sizes.heads if family.sinks is True else 0)


def latent_attention(family: Family, sizes: Sizes, config: Mapping[str, Any]) -> int:
    """Return the parameters of one block of multi-head latent attention (DeepSeek V2 and later)."""
    rope, plain = int(config.get("qk_rope_head_dim") or 64), int(config.get("qk_nope_head_dim") or 128)
    value = int(config.get("v_head_dim") or plain)
    low, queries = int(config.get("kv_lora_rank") or 512), sizes.heads * (rope + plain)
    total = linear(sizes.hidden, low + rope, family.qkv_bias) + norm(family, low)
    total += low * sizes.heads * (plain + value) + linear(sizes.heads * value, sizes.hidden, family.o_bias)
    if width := config.get("index_head_dim"):  # sparse attention selects tokens with a separate small attention
        heads = int(config.get("index_n_heads") or 64)
        total += int(config.get("q_lora_rank") or 0) * heads * width + sizes.hidden * (width + heads) + 2 * width
    if rank := config.get("q_lora_rank"):
        return total + linear(sizes.hidden, int(rank), family.qkv_bias) + norm(family, int(rank)) + int(rank) * queries
    return total + sizes.hidden * queries


def mlp(family: Family, hidden: int, intermediate: int, bias: object = None) -> int:
    """Return the parameters of one MLP, gated or plain."""
    if family.mlp == "none" or not intermediate:
        return 0
    bias = family.mlp_bias if bias is None else bias
    up = (2 if family.mlp == "gated" else 1) * linear(hidden, intermediate, bias)
    return up + linear(intermediate, hidden, bias) + (norm(family, intermediate) if family.sub_norms else 0)
