"""Determines which layers have full attention, windowed attention, or a recurrent mixer; and which have experts."""

from collections.abc import Mapping
from typing import Any, Final

from accel.footprint.families import Family
from accel.footprint.values import Values

_KINDS: Final = {
    "*": "full",
    "M": "linear",
    "-": "mlp",
    "E": "moe",
    "moe": "moe",
    "mlp": "mlp",
    "hybrid": "full",  # Zamba: shared attention in addition to a recurrent mixer
}
_WINDOW: Final = ("sliding", "window", "chunk", "local")
_LINEAR: Final = ("linear", "mamba", "recurrent", "conv", "delta", "ssm", "lightning")


class Kinds(list[str]):
    """The kind of each layer: "full", "window", "linear", or "mlp" or "moe" if these are separate layers.

    alone   mixers, attention and MLPs are separate layers (Nemotron-H)
    """

    alone = False


def layer_kinds(family: Family, values: Values, config: Mapping[str, Any], layers: int) -> Kinds:
    """Return the kind of each layer, as the config lists it or from the family's pattern."""
    if pattern := config.get("hybrid_override_pattern"):
        kinds = Kinds(_kind(sign) for sign in str(pattern)[:layers])
        kinds.alone = True
        return kinds
    listed = _listed(config, layers)
    if listed is not None:
        kinds = Kinds(_kind(word) for word in listed)
        kinds.alone = "mlp" in kinds or "moe" in kinds
        return kinds
    if family.attention == "none":
        return Kinds(["linear"] * layers)
    if family.pattern:
        return Kinds(family.pattern[number % len(family.pattern)] for number in range(layers))
    return Kinds(_by_pattern(family, values, config, number, layers) for number in range(layers))


def _kind(word: str) -> str:
    if word in _KINDS:
        return _KINDS[word]
    word = word.lower()
    if any(sign in word for sign in _LINEAR):
        return "linear"
    return "window" if any(sign in word for sign in _WINDOW) else "full"


def _listed(config: Mapping[str, Any], layers: int) -> list[str] | None:
    for key in ("layer_types", "layers_block_type", "block_types"):
        words = config.get(key)
        if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
            return [words[number % len(words)] for number in range(layers)]
    if isinstance(types := config.get("attention_types"), list):
        words = [word for names, times in types for _ in range(int(times)) for word in names]
        return words[:layers] or None
    return None


def _by_pattern(family: Family, values: Values, config: Mapping[str, Any], number: int, layers: int) -> str:
    full = _full_layers(config, layers)
    if family.linear != "none" and not family.both and full is not None:
        return "full" if number in full else "linear"
    if family.chunked:
        every = config.get("no_rope_layer_interval") or 4
        return "full" if (number + 1) % int(every) == 0 or not config.get("attention_chunk_size", 8192) else "window"
    if not family.window or not values.whole("window"):
        return "full"
    every = family.window_every
    if family.encoder and every:
        return "full" if number % int(every) == 0 else "window"
    if every:
        return "full" if (number + 1) % int(every) == 0 else "window"
    first = config.get("max_window_layers")
    return "full" if isinstance(first, int) and number < first else "window"


def _full_layers(config: Mapping[str, Any], layers: int) -> set[int] | None:
    """Return the layers with attention in a model whose other layers are recurrent."""
    if every := config.get("full_attention_interval"):
        return {number for number in range(layers) if (number + 1) % int(every) == 0}
    if period := config.get("attn_layer_period"):
        return set(range(int(config.get("attn_layer_offset") or 0), layers, int(period)))
    for key in ("attn_layer_indices", "full_attn_idxs"):
        if key in config:
            return set(config[key] or ())
    inner = config.get("linear_attn_config")
    if isinstance(inner, Mapping) and isinstance(inner.get("full_attn_layers"), list):
        return {number - 1 for number in inner["full_attn_layers"]}
    if isinstance(listed := config.get("attn_type_list"), list):
        return {number for number, kind in enumerate(listed) if kind}
    return None


def is_sparse(values: Values, config: Mapping[str, Any], number: int) -> bool:
    """Return whether the layer has experts: all layers if the config does not say which."""
    if not values.whole("experts"):
        return False
    if isinstance(listed := config.get("mlp_layer_types"), list) and number < len(listed):
        return bool(listed[number] == "sparse")
    if isinstance(moe := config.get("moe_layers"), list) and moe:
        return number in moe
    if number in (config.get("mlp_only_layers") or ()):
        return False
    if number < (values.whole("dense_first") or 0):
        return False
    if step := config.get("decoder_sparse_step") or config.get("interleave_moe_layer_step"):
        return (number + 1) % int(step) == 0
    if period := config.get("expert_layer_period"):
        return (number - int(config.get("expert_layer_offset") or 0)) % int(period) == 0
    if (interval := config.get("moe_layer_interval")) and isinstance(interval, int):
        last = config.get("moe_layer_end_index")
        return (number + 1) % interval == 0 and (last in (None, -1) or number <= int(last))
    freq = config.get("moe_layer_freq")
    if isinstance(freq, list):
        return bool(freq[number]) if number < len(freq) else True
    return number % freq == 0 if isinstance(freq, int) and freq else True
