"""Recurrent layers: their parameters, and the state they keep per sequence regardless of its length."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from accel.footprint.blocks import Sizes, linear
from accel.footprint.families import Family


def mixer(family: Family, sizes: Sizes, config: Mapping[str, Any]) -> int:
    """Return the parameters of one recurrent layer's mixer."""
    return _OF[family.linear][0](sizes, config) if family.linear in _OF else 0


def mixer_state(family: Family, sizes: Sizes, config: Mapping[str, Any]) -> int:
    """Return how many numbers one recurrent layer keeps per sequence."""
    return _OF[family.linear][1](sizes, config) if family.linear in _OF else 0


def _number(config: Mapping[str, Any], other: int, *names: str) -> int:
    return next((int(config[name]) for name in names if config.get(name) is not None), other)


def _mamba_sizes(sizes: Sizes, config: Mapping[str, Any]) -> tuple[int, int, int, int]:
    inner = config.get("mamba_d_inner") or config.get("intermediate_size") if "mamba_expand" not in config else None
    if inner is None:
        inner = int(_number(config, 2, "mamba_expand", "expand") * sizes.hidden)
    if config.get("model_type") in ("mamba", "falcon_mamba"):
        inner = _number(config, 2 * sizes.hidden, "intermediate_size")
    state, kernel = (
        _number(config, 16, "mamba_d_state", "state_size"),
        _number(config, 4, "mamba_d_conv", "conv_kernel"),
    )
    rank = config.get("mamba_dt_rank") or config.get("time_step_rank")
    return int(inner), state, kernel, rank if isinstance(rank, int) else ceil(sizes.hidden / 16)


def _mamba(sizes: Sizes, config: Mapping[str, Any]) -> int:
    inner, state, kernel, rank = _mamba_sizes(sizes, config)
    bias = config.get("mamba_proj_bias") if "mamba_proj_bias" in config else config.get("use_bias", False)
    total = linear(sizes.hidden, 2 * inner, bias)
    total += inner * kernel + (inner if config.get("mamba_conv_bias", config.get("use_conv_bias", True)) else 0)
    total += inner * (rank + 2 * state) + linear(rank, inner, True)
    total += inner * state + inner + linear(inner, sizes.hidden, bias)
    return total + (rank + 2 * state if config.get("model_type") == "jamba" else 0)


def _mamba_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    inner, state, kernel, _ = _mamba_sizes(sizes, config)
    return inner * (state + kernel)


def _mamba2_sizes(sizes: Sizes, config: Mapping[str, Any]) -> tuple[int, int, int, int, int]:
    heads = _number(config, 0, "mamba_n_heads", "mamba_num_heads", "num_heads")
    width = config.get("mamba_d_head") or config.get("mamba_head_dim") or config.get("head_dim")
    inner = config.get("mamba_d_ssm")
    if inner is None and heads and isinstance(width, int):
        inner = heads * width
    if inner is None:
        inner = int(_number(config, 2, "mamba_expand", "expand") * sizes.hidden)
    heads = heads or inner // 64
    return (
        int(inner),
        heads,
        _number(config, 1, "mamba_n_groups", "n_groups"),
        _number(config, 128, "mamba_d_state", "ssm_state_size", "state_size"),
        _number(config, 4, "mamba_d_conv", "conv_kernel"),
    )


def _mamba2(sizes: Sizes, config: Mapping[str, Any]) -> int:
    inner, heads, groups, state, kernel = _mamba2_sizes(sizes, config)
    mixed = inner + 2 * groups * state
    bias = config.get("mamba_proj_bias", config.get("use_bias", False))
    total = linear(sizes.hidden, inner + mixed + heads, bias)
    total += mixed * kernel + (mixed if config.get("mamba_conv_bias", config.get("use_conv_bias", True)) else 0)
    gated = inner if config.get("mamba_rms_norm", True) else 0
    return total + 3 * heads + gated + linear(inner, sizes.hidden, bias)


def _mamba2_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    inner, _, groups, state, kernel = _mamba2_sizes(sizes, config)
    return inner * state + (inner + 2 * groups * state) * kernel


def _delta_sizes(config: Mapping[str, Any]) -> tuple[int, int, int, int, int]:
    return (
        _number(config, 16, "linear_num_key_heads"),
        _number(config, 32, "linear_num_value_heads"),
        _number(config, 128, "linear_key_head_dim"),
        _number(config, 128, "linear_value_head_dim"),
        _number(config, 4, "linear_conv_kernel_dim"),
    )


def _delta(sizes: Sizes, config: Mapping[str, Any]) -> int:
    keys, values, key_dim, value_dim, kernel = _delta_sizes(config)
    k, v = keys * key_dim, values * value_dim
    total = sizes.hidden * (2 * k + 2 * v) + sizes.hidden * 2 * values
    return total + (2 * k + v) * kernel + 2 * values + value_dim + v * sizes.hidden


def _delta_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    keys, values, key_dim, value_dim, kernel = _delta_sizes(config)
    return values * key_dim * value_dim + (2 * keys * key_dim + values * value_dim) * kernel


def _kimi_sizes(sizes: Sizes, config: Mapping[str, Any]) -> tuple[int, int, int]:
    inner = config.get("linear_attn_config")
    inner = inner if isinstance(inner, Mapping) else {}
    return (
        int(inner.get("num_heads") or config.get("linear_num_heads") or sizes.heads),
        int(inner.get("head_dim") or config.get("linear_head_dim") or 128),
        int(inner.get("short_conv_kernel_size") or config.get("linear_conv_kernel_dim") or 4),
    )


def _kimi(sizes: Sizes, config: Mapping[str, Any]) -> int:
    heads, width, kernel = _kimi_sizes(sizes, config)
    all_heads = heads * width
    gates = 2 * (sizes.hidden * width + width * all_heads) + sizes.hidden * heads
    return 4 * sizes.hidden * all_heads + 3 * all_heads * kernel + gates + all_heads + heads + width


def _kimi_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    heads, width, kernel = _kimi_sizes(sizes, config)
    return heads * width * width + 3 * heads * width * kernel


def _conv(sizes: Sizes, config: Mapping[str, Any]) -> int:
    bias = config.get("conv_bias", False)
    kernel = _number(config, 3, "conv_L_cache")
    total = linear(sizes.hidden, 3 * sizes.hidden, bias) + linear(sizes.hidden, sizes.hidden, bias)
    return total + sizes.hidden * kernel + (sizes.hidden if bias else 0)


def _conv_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    return sizes.hidden * _number(config, 3, "conv_L_cache")


def _rg_lru(sizes: Sizes, config: Mapping[str, Any]) -> int:
    width = _number(config, sizes.hidden, "lru_width")
    kernel, blocks = _number(config, 4, "conv1d_width"), max(sizes.heads, 1)
    total = 2 * linear(sizes.hidden, width, True) + linear(width, sizes.hidden, True) + width * kernel + width
    return total + width + 2 * (width * width // blocks + width)


def _rg_lru_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    width = _number(config, sizes.hidden, "lru_width")
    return width * (1 + _number(config, 4, "conv1d_width") - 1)


def _lightning(sizes: Sizes, config: Mapping[str, Any]) -> int:
    queries = sizes.heads * sizes.head_dim
    return sizes.hidden * 3 * queries + queries + sizes.hidden * queries + queries * sizes.hidden


def _lightning_state(sizes: Sizes, config: Mapping[str, Any]) -> int:
    return sizes.heads * sizes.head_dim**2


_OF = {
    "mamba": (_mamba, _mamba_state),
    "mamba2": (_mamba2, _mamba2_state),
    "delta_net": (_delta, _delta_state),
    "delta_attention": (_kimi, _kimi_state),
    "short_conv": (_conv, _conv_state),
    "rg_lru": (_rg_lru, _rg_lru_state),
    "lightning": (_lightning, _lightning_state),
}
