"""The schema of the tables in specs/models/: model families, weight formats, what training keeps in memory."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from accel.specs.kinds import FLAG, WORDS, Fields, Kind, list_of, number, one_of, text, whole

_READ: Final = r"=\w+(\|[\w.-]+)?"  # "=field|other": the config's field, or the other value if it is missing
_NAMES: Final[Kind] = list_of(text(r"[\w.-]+", "a model_type"))


def _or_read(kind: Kind) -> Kind:
    """Return the kind, or a string that names the config field with such a value."""
    read = text(_READ, "")[1]
    return f'{kind[0]}, or "=field|other" of the config', lambda value: kind[1](value) or read(value)


_FLAG: Final[Kind] = _or_read(FLAG)
_COUNT: Final[Kind] = _or_read(whole(0, 10**7, "a whole number"))
_MIXERS: Final = ("none", "mamba", "mamba2", "delta_net", "delta_attention", "short_conv", "rg_lru", "lightning")
FAMILY: Final[Fields] = {
    "of": _NAMES,
    "norm": one_of("rms", "weight", "layer", "none"),
    "norms": whole(0, 8, "how many norms a layer has"),
    "mlp": one_of("gated", "plain", "none"),
    **dict.fromkeys(("qkv_bias", "o_bias", "mlp_bias", "head_bias"), _FLAG),
    **dict.fromkeys(("sub_norms", "first_norm", "embedding_norm", "output_gate", "tie", "moe"), FLAG),
    **dict.fromkeys(("shared_gate", "router_bias", "expert_bias", "both", "chunked", "factored"), FLAG),
    **dict.fromkeys(("shared_layers", "router_correction", "encoder", "pooler", "head"), FLAG),
    "final_norm": _FLAG,
    "qk_norm": _or_read(one_of("head", "flat", "none")),
    "attention": one_of("full", "latent", "none"),
    "sinks": ('true, false or "window"', lambda value: value in (True, False, "window")),
    **dict.fromkeys(("positions", "token_types", "window_every"), _COUNT),
    "position_offset": whole(0, 16, "a few rows"),
    "activation": whole(0, 16, "a few parameters"),
    "linear": one_of(*_MIXERS),
    "window": _FLAG,
    "ffn": one_of("as stated", "half", "two_thirds"),
    "pattern": list_of(one_of("linear", "window", "full")),
}
ENCODER_DECODER: Final[Fields] = {
    "of": _NAMES,
    "norm": one_of("rms", "layer"),
    **dict.fromkeys(("bias", "key_bias", "final_norm", "embedding_norm", "relative_positions", "tie"), FLAG),
    "positions": whole(0, 16, "a few rows"),
    "stem": one_of("sound"),
}
TOWER: Final[Fields] = {
    "of": _NAMES,
    "norm": one_of("rms", "layer"),
    **dict.fromkeys(("gated", "bias", "patch_bias", "mask_token", "positions", "pre_norm", "post_norm"), FLAG),
    **dict.fromkeys(("layer_scale", "pooler"), FLAG),
    "qkv_bias": _FLAG,
    "pooling_head": _FLAG,
    "frames": whole(1, 16, "a few images"),
    "class_tokens": whole(0, 16, "a few tokens"),
    "merger": one_of("none", "plain"),
}
WEIGHT_FORMAT: Final[Fields] = {
    "of": list_of(text(r"[a-z0-9_]+", "a name in lower case")),
    "block": whole(1, 4096, "how many weights share a scale"),
    "bytes": number(0.01, 10**4, "the bytes of a block with its scales"),
}
_FORMAT: Final[Kind] = text(r"[a-z0-9_]+", "a format")
_ROLE: Final[Kind] = text(
    r"((more|first2|first4|eighth|sixteenth) )?[a-z0-9_]+(/[a-z0-9_]+)?", 'formats like "q6_k" or "first2 q5_k/q4_k"'
)
_ROLES: Final = ("value", "value_of_groups", "down", "output", "experts")
MIXTURE: Final[Fields] = {
    "of": WEIGHT_FORMAT["of"],
    "base": _FORMAT,
    "head": _FORMAT,
    **dict.fromkeys(_ROLES, _ROLE),
}
_BYTES: Final[Kind] = number(0, 64, "bytes for each parameter")
OPTIMIZER: Final[Fields] = {"of": WEIGHT_FORMAT["of"], "bytes": _BYTES, "other_bytes": _BYTES}
OVERHEAD: Final[Fields] = {
    "backend": WORDS,
    **dict.fromkeys(("bytes", "low", "high"), whole(0, 10**11, "whole bytes")),
}
TABLES_OF_MODELS: Final[tuple[tuple[str, dict[str, tuple[Fields, tuple[str, ...]]]], ...]] = (
    (
        r"models/families",
        {
            "families": (FAMILY, ("of",)),
            "encoder_decoders": (ENCODER_DECODER, ("of", "norm")),
            "towers": (TOWER, ("of",)),
        },
    ),
    (
        r"models/formats",
        {"formats": (WEIGHT_FORMAT, ("of", "block", "bytes")), "mixtures": (MIXTURE, ("of", "base", "head"))},
    ),
    (
        r"models/training",
        {"optimizers": (OPTIMIZER, ("of", "bytes")), "overheads": (OVERHEAD, ("backend", "bytes", "low", "high"))},
    ),
)


def model_mistakes(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield references in a table of models that its other rows do not define, and duplicates."""
    for key in ("families", "formats", "mixtures", "optimizers"):
        yield from _twice(key, table.get(key) or ())
    if name == "models/formats":
        known = {word for row in table.get("formats") or () for word in row["of"]}
        for number_, row in enumerate(table.get("mixtures") or ()):
            for role in ("base", "head", *_ROLES):
                for word in str(row.get(role) or "").rpartition(" ")[2].split("/"):
                    if word and word not in known:
                        yield f"mixtures[{number_}].{role}: expected one of the formats, got {word!r}"
        for kind, word in (table.get("ggml_types") or {}).items():
            if not str(kind).isdecimal() or word not in known:
                yield f"ggml_types: expected a number and one of the formats, got {kind!r}: {word!r}"
    elif name == "models/families" and not isinstance(table.get("fields"), dict):
        yield "fields: expected names of sizes with the fields of configs that state them"
    elif name == "models/defaults":
        yield from _of_defaults(table.get("defaults"))
    elif name == "models/training":
        for number_, row in enumerate(table.get("overheads") or ()):
            if not row["low"] <= row["bytes"] <= row["high"]:
                yield f"overheads[{number_}].bytes: expected a figure from low to high, got {row['bytes']}"
        zero = table.get("zero")
        if not isinstance(zero, dict) or {"bucket_parameters", "live_parameters"} - set(zero):
            yield "zero: expected bucket_parameters and live_parameters"


def _of_defaults(rows: Any) -> Iterator[str]:
    if not isinstance(rows, dict):
        yield "defaults: expected a mapping of model types"
        return
    for kind, row in rows.items():
        for field, value in row.items() if isinstance(row, dict) else (("", row),):
            if not field or not isinstance(value, (bool, int, float, str, list)):
                yield f"defaults.{kind}.{field}: expected a size, a switch or a name, got {value!r}"


def _twice(key: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number_, row in enumerate(rows):
        for word in row["of"]:
            if word in seen and seen[word] != number_:
                yield f"{key}[{number_}].of: {word!r} is in row {seen[word]} as well"
            seen.setdefault(word, number_)
