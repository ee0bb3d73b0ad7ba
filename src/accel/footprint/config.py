"""Reads the shape of a model from a Hugging Face `config.json`."""

from collections.abc import Mapping
from typing import Any, Final

from accel.footprint.blocks import Sizes, attention, latent_attention, linear, mlp, norm
from accel.footprint.families import Family, family_of
from accel.footprint.layers import is_sparse, layer_kinds
from accel.footprint.mixers import mixer, mixer_state
from accel.footprint.model import Cache, ModelShape
from accel.footprint.values import Values, with_defaults
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable
from accel.specs.load import Specs
from accel.text.pattern import pattern

_MOST: Final = 10**7  # for any single size: a larger value is not from a model
_INNER: Final = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "decoder_config",
    "language_model_config",
)
_TYPES: Final = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8", "half": "fp16"}
_GUESS_BAND: Final = 0.15  # for an unknown family: its norms, biases and small parts
_STRANGE_BAND: Final = 0.5  # if its config has sizes that accel does not read
_SIZE: Final = pattern(
    r"(?:^|_)(?:layers?|experts?|dim|size|rank|heads?|hidden|width|groups|expand|blocks?|streams)(?:_|$)"
)
_NO_SIZE: Final = pattern(r"token|vocab|position|kernel|chunk|window|image|patch|batch|max_|pad|initializer")
_DROPOUT: Final = (
    *("attention_dropout", "attention_probs_dropout_prob", "hidden_dropout_prob", "hidden_dropout", "attn_pdrop"),
    *("resid_pdrop", "dropout", "dropout_rate"),
)
_ACTIVATIONS: Final = ("hidden_act", "hidden_activation", "activation_function")
_COMPOSED: Final = frozenset(("gelu_new", "gelu_fast", "gelu_python"))
_PLAIN: Final = _COMPOSED | {"gelu", "relu", "relu2", "quick_gelu"}


def shape_of(config: Mapping[str, Any], specs: Specs, name: str | None = None) -> ModelShape:
    """Return the shape that a config describes; raises BadInput if layer sizes are missing or not numbers."""
    try:
        return _shape_of(config, specs, name)
    except BadInput:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(
            f"The config has a value of the wrong type: {printable(str(error))[:120]}. Correct the file, or "
            "describe the model:  accel fit --params 7B --layers 32 --hidden 4096 --heads 32"
        ) from error


def _shape_of(config: Mapping[str, Any], specs: Specs, name: str | None) -> ModelShape:
    from accel.footprint.encoder_decoder import encoder_decoder, is_encoder_decoder
    from accel.footprint.towers import tower_alone, towers

    table = specs.table("models/families") or {}
    if is_encoder_decoder(config):
        return encoder_decoder(with_defaults(config, specs), specs, name)
    alone = not any(key.endswith("_config") for key in config if key != "quantization_config")
    if alone and any(config.get("model_type") in row["of"] for row in table["towers"]):
        return tower_alone(config, specs, name)
    inner = _text(config)
    kind = inner.get("model_type") or config.get("model_type")
    if kind and (inner is config or "model_type" not in inner) and family_of(specs, f"{kind}_text", {}) is not None:
        inner = {**inner, "model_type": f"{kind}_text"}  # Qwen2-VL's and Gemma 3's configs omit the text's type
    return towers(config, _decoder(with_defaults(inner, specs), config, specs, name), specs)


def _text(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(3):
        found = next((config[key] for key in _INNER if isinstance(config.get(key), Mapping)), None)
        if found is None:
            return config
        outer = {key: config[key] for key in ("tie_word_embeddings", "torch_dtype", "dtype") if key in config}
        config = {**found, **outer}
    return config


def _decoder(config: Mapping[str, Any], outer: Mapping[str, Any], specs: Specs, name: str | None) -> ModelShape:
    values = Values(config, (specs.table("models/families") or {})["fields"])
    kind = config.get("model_type") or outer.get("model_type")
    known = family_of(specs, kind, config) or family_of(specs, outer.get("model_type"), config)
    family = known or _guessed(values, config)
    sizes = sizes_of(values, family, config)
    kinds = layer_kinds(family, values, config, sizes.layers)
    parts = dict.fromkeys(("embedding", "attention", "mlp", "experts", "routers", "mixers", "norms", "head"), 0)
    factored = config.get("embedding_size") if family.factored else None
    narrow = int(factored or config.get("word_embed_proj_dim") or sizes.hidden)
    parts["embedding"] = sizes.vocabulary * narrow
    if isinstance(length := family.positions, int) and length:
        parts["embedding"] += (length + family.position_offset) * (narrow if factored else sizes.hidden)
    parts["embedding"] += int(family.token_types) * (narrow if factored else sizes.hidden)
    if factored and (narrow != sizes.hidden or family.shared_layers):
        parts["embedding"] += linear(narrow, sizes.hidden, True)
    passed = 0
    each = latent_attention(family, sizes, config) if family.attention == "latent" else attention(family, sizes)
    wide_head = _head_dim_of_full(config) or sizes.head_dim
    shared = sizes.layers - int(config.get("num_kv_shared_layers") or 0)
    for number, what in enumerate(kinds):
        if what == "linear" or (family.both and what not in ("mlp", "moe")):
            parts["mixers"] += mixer(family, sizes, config)
        if what in ("full", "window") and family.attention != "none":
            if what == "full" and wide_head != sizes.head_dim:
                wider = replace(sizes, head_dim=wide_head, value_dim=wide_head)
                parts["attention"] += attention(family, wider, own=number < shared)
            else:
                parts["attention"] += each if number < shared else attention(family, sizes, own=False)
            parts["attention"] += sizes.heads if family.sinks == what else 0
        parts["norms"] += _norms(family, config) * norm(family, sizes.hidden)
        if kinds.alone and what not in ("mlp", "moe"):
            continue
        if what == "moe" or (what != "mlp" and family.moe and is_sparse(values, config, number)):
            router, whole, mine = _experts(family, values, config, sizes)
            parts["routers"] += router
            parts["experts"] += whole
            passed += mine
        else:
            width = int(config.get("intermediate_size_mlp") or sizes.intermediate)
            wide = config.get("use_double_wide_mlp") and number >= shared
            parts["mlp"] += mlp(family, sizes.hidden, width * (2 if wide else 1)) + family.activation
    parts["per layer"] = _per_layer(family, sizes, config)
    if parts["embedding"] and config.get("word_embed_proj_dim", sizes.hidden) != sizes.hidden:
        parts["embedding"] += 2 * int(config["word_embed_proj_dim"]) * sizes.hidden  # projections in and out
    if family.shared_layers:
        groups = int(config.get("num_hidden_groups") or 1)
        parts.update({part: parts[part] * groups // sizes.layers for part in ("attention", "mlp", "norms")})
    if not family.first_norm:
        parts["norms"] -= norm(family, sizes.hidden)
    parts["norms"] += bool(family.final_norm) * norm(family, sizes.hidden)
    parts["norms"] += bool(family.embedding_norm) * norm(family, narrow if factored else sizes.hidden)
    if family.pooler:
        parts["head"] += linear(sizes.hidden, sizes.hidden, True)
    if family.head and not config.get("tie_word_embeddings", family.tie):
        parts["head"] += linear(sizes.hidden, sizes.vocabulary, family.head_bias)
    total = sum(parts.values())
    strange = () if known else _strange(config, specs)
    return ModelShape(
        name=name or config.get("_name_or_path") or outer.get("_name_or_path") or None,
        family=kind,
        parameters=total,
        active=total - parts["experts"] + passed if parts["experts"] else total,
        parts={part: count for part, count in parts.items() if count},
        origin="computed" if known else "estimated",
        band=0.0 if known else (_STRANGE_BAND if strange else _GUESS_BAND),
        hidden=sizes.hidden,
        layers=sizes.layers,
        heads=sizes.heads or None,
        kv_heads=sizes.kv_heads or None,
        head_dim=sizes.head_dim or None,
        intermediate=sizes.intermediate or None,
        vocabulary=sizes.vocabulary or None,
        longest=values.whole("longest"),
        dtype=_dtype(config) or _dtype(outer),
        quantization=_mapping(outer.get("quantization_config")) or _mapping(config.get("quantization_config")),
        caches=() if family.encoder else _caches(family, kinds, values, config, sizes),
        linears=sum(parts[part] for part in ("attention", "mlp", "experts", "routers", "mixers")),
        dropout=any(isinstance(config.get(key), float) and config[key] > 0 for key in _DROPOUT),
        norm=family.norm,
        gated=family.mlp == "gated",
        qk_norm=family.qk_norm not in ("none", False),
        composed=_activation(config) in _COMPOSED,
        predicts=family.head,
        gaps=() if known else (_gap(kind, strange),),
    )


def _gap(kind: object, strange: tuple[str, ...]) -> str:
    named = (
        f"The architecture {str(kind)[:60]!r} is not in accel's tables" if kind else "The config names no model_type"
    )
    unread = f", and its config states what accel does not read: {', '.join(strange[:6])}" if strange else ""
    return f"{named}{unread}. Its parameters are estimated from its shapes; with its *.safetensors they are counted."


def _strange(config: Mapping[str, Any], specs: Specs) -> tuple[str, ...]:
    """Return the sizes in a config that nothing here reads: they belong to unknown parts."""
    known = {name for names in (specs.table("models/families") or {})["fields"].values() for name in names}
    return tuple(
        key
        for key, value in config.items()
        if type(value) is int and value > 1 and key not in known and _SIZE.search(key) and not _NO_SIZE.search(key)
    )


def sizes_of(values: Values, family: Family, config: Mapping[str, Any]) -> Sizes:
    """Return the sizes; raises BadInput if hidden size or layers are missing, or a value is impossibly large."""
    hidden, layers = values.whole("hidden"), values.whole("layers")
    if not hidden or not layers:
        lacks = "the hidden size" if not hidden else "the number of layers"
        raise BadInput(
            f"The config lacks {lacks}, under all names that accel knows. Describe the model instead:  accel fit "
            "--params 7B --layers 32 --hidden 4096 --heads 32"
        )
    heads = values.whole("heads") or 0
    head_dim = values.whole("head_dim") or (hidden // heads if heads else 0)
    kv_heads = values.whole("kv_heads")
    if config.get("multi_query") and not config.get("new_decoder_architecture"):
        kv_heads = (
            values.whole("kv_heads") if "multi_query_group_num" in config or "multi_query_attention" in config else 1
        )
    value_dim = values.whole("value_dim") or head_dim
    sizes = Sizes(
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=heads if kv_heads is None else kv_heads,
        head_dim=head_dim,
        value_dim=value_dim,
        intermediate=_intermediate(values.whole("intermediate") or 4 * hidden, family, config),
        vocabulary=values.whole("vocabulary") or 0,
    )
    if layers > 10**4 or max(sizes.hidden, sizes.heads, sizes.intermediate, sizes.vocabulary) > _MOST:
        raise BadInput("The config contains sizes that no model has. Check whether it is a model's config.json.")
    return sizes


def _intermediate(stated: int, family: Family, config: Mapping[str, Any]) -> int:
    if family.ffn == "half":
        return stated // 2
    if family.ffn == "two_thirds" and config.get("block_auto_adjust_ff_dim", True):
        wide = int(float(config.get("block_ffn_dim_multiplier") or 1) * (2 * stated // 3))
        unit = int(config.get("block_multiple_of") or 1)
        return -(-wide // unit) * unit
    return stated


def _per_layer(family: Family, sizes: Sizes, config: Mapping[str, Any]) -> int:
    """Return the parameters of per-layer embeddings, and of the layers that mix them in (Gemma 3n and 4)."""
    width = int(config.get("hidden_size_per_layer_input") or 0)
    total = 0
    if width:
        rows = int(config.get("vocab_size_per_layer_input") or sizes.vocabulary)
        total = (rows + sizes.hidden) * sizes.layers * width + width
        total += sizes.layers * (2 * sizes.hidden * width + sizes.hidden)
    if rank := config.get("laurel_rank"):
        streams = int(config.get("altup_num_inputs") or 4)
        each = sizes.hidden * (3 + 2 * int(rank) + streams) + streams**2 + streams**3
        total += sizes.layers * each + 2 * (streams - 1) * sizes.hidden**2
    return total


def _head_dim_of_full(config: Mapping[str, Any]) -> int | None:
    """Return the head width in layers with full attention, if it differs (Gemma 4)."""
    if isinstance(width := config.get("global_head_dim"), int):
        return width
    layers = config.get("per_layer_config")
    widths = {one.get("head_dim") for one in layers.values()} if isinstance(layers, Mapping) else set()
    return next(iter(widths)) if len(widths) == 1 else None


def _norms(family: Family, config: Mapping[str, Any]) -> int:
    if config.get("model_type") == "falcon":
        two = config.get("new_decoder_architecture") and config.get("num_ln_in_parallel_attn") != 1
        return 2 if two or not config.get("parallel_attn", True) else 1
    return 1 if config.get("use_parallel_residual") and config.get("model_type") == "stablelm" else family.norms


def _experts(family: Family, values: Values, config: Mapping[str, Any], sizes: Sizes) -> tuple[int, int, int]:
    """Return the parameters of one layer's router, of all its experts, and of those used per token."""
    experts = values.whole("experts") or 0
    width = values.whole("expert_intermediate") or sizes.intermediate
    bias = family.expert_bias
    one = mlp(family, sizes.hidden, width, bias)
    router = linear(sizes.hidden, experts, family.router_bias) + (experts if family.router_correction else 0)
    shared = values.whole("shared_intermediate")
    if shared is None:
        shared = (values.whole("shared_experts") or 0) * width
    if config.get("model_type") == "llama4_text":
        shared = width
    rest = mlp(family, sizes.hidden, shared, bias) + (sizes.hidden if family.shared_gate and shared else 0)
    return router, experts * one + rest, min(values.whole("experts_of_token") or 1, experts) * one + rest


def _caches(family: Family, kinds: Any, values: Values, config: Mapping[str, Any], sizes: Sizes) -> tuple[Cache, ...]:
    if family.attention == "latent":
        per = int(config.get("kv_lora_rank") or 512) + int(config.get("qk_rope_head_dim") or 64)
        per += int(config.get("index_head_dim") or 0)
    else:
        per = sizes.kv_heads * (sizes.head_dim + sizes.value_dim)
    heads = None if family.attention == "latent" else sizes.kv_heads
    found = []
    if full := kinds.count("full"):
        found.append(Cache(what="latent" if heads is None else "full", layers=full, elements=per, heads=heads))
    if windows := kinds.count("window"):
        length = values.whole("window") or int(config.get("attention_chunk_size") or 0) or None
        found.append(Cache(what="window", layers=windows, elements=per, window=length, heads=heads))
    recurrent = sizes.layers if family.both else kinds.count("linear")
    if recurrent and family.linear != "none":
        found.append(Cache(what="state", layers=recurrent, state=mixer_state(family, sizes, config)))
    return tuple(found)


def _guessed(values: Values, config: Mapping[str, Any]) -> Family:
    return Family(
        mlp="plain" if _activation(config) in _PLAIN else "gated",
        moe=bool(values.whole("experts")),
        attention="latent" if "kv_lora_rank" in config else "full",
        qkv_bias=bool(config.get("attention_bias") or config.get("qkv_bias")),
        o_bias=bool(config.get("attention_bias")),
        mlp_bias=bool(config.get("mlp_bias")),
        tie=False,
    )


def _activation(config: Mapping[str, Any]) -> str:
    return next((str(config[key]) for key in _ACTIVATIONS if config.get(key)), "silu")


def _dtype(config: Mapping[str, Any]) -> str | None:
    said = config.get("dtype") or config.get("torch_dtype")
    return _TYPES.get(said.removeprefix("torch."), said) if isinstance(said, str) else None


def _mapping(value: object) -> Mapping[str, object] | None:
    return value if isinstance(value, Mapping) else None
