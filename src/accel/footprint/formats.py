"""Bytes of weights and caches by format: plain, in blocks with scales, and llama.cpp's mixtures."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.errors import BadInput
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape
    from accel.specs.load import Specs

_SIGNS: Final = pattern(r"[-. ]+")
_ALGORITHMS: Final = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("mxfp8", "mxfp8"),
    ("fp8", "fp8"),
    ("w4", "awq"),
    ("int4", "awq"),
    ("int8", "int8"),
    ("w8", "int8"),
)
_BITS: Final = {2: "q2_k", 3: "gptq3", 4: "gptq", 8: "gptq8"}


def bytes_of_weight(specs: "Specs", name: str) -> float:
    """Return the bytes of one weight in a format, with its share of scales; raises BadInput for an unknown format."""
    block, size = block_of(specs, name)
    return size / block


def block_of(specs: "Specs", name: str) -> tuple[int, float]:
    """Return the weights per block and its bytes; raises BadInput, with the known formats, for an unknown one."""
    known = specs.cached("weight formats", lambda: _by_name(specs))
    found = known.get(plain(name))
    if found is None:
        raise BadInput(f"{name!r} is no format that accel knows.{nearest(plain(name), known)}")
    return int(found["block"]), float(found["bytes"])


def plain(name: str) -> str:
    """Return a format's name as spelled in the table: "q4_k_m" for "Q4_K-M"."""
    return _SIGNS.sub("_", name.strip().lower().removeprefix("torch."))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" with the most similar names, or "" if there are none."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def _by_name(specs: "Specs") -> dict[str, Mapping[str, Any]]:
    table = specs.table("models/formats") or {}
    return {name: row for row in table.get("formats") or () for name in row["of"]}


def mixture_of(specs: "Specs", name: str) -> Mapping[str, Any] | None:
    """Return llama.cpp's mixture of this name; None for a format that applies to all matrices."""
    rows: Iterable[Mapping[str, Any]] = (specs.table("models/formats") or {}).get("mixtures") or ()
    return next((row for row in rows if plain(name) in row["of"]), None)


def quantised_bytes(specs: "Specs", shape: "ModelShape", quant: str, rest: str) -> float:
    """Return the bytes of all weights if the layers' matrices are in one format and the rest in another.

    Embedding, head, norms and towers stay in `rest`, as in GPTQ, AWQ, bitsandbytes and fp8 checkpoints. In a llama.cpp
    mixture, the embedding and the head are quantised as well, and vectors are in 32 bits.
    """
    mixture = mixture_of(specs, quant)
    if mixture is not None:
        return _mixed(specs, shape, mixture)
    if block_of(specs, quant)[0] == 1 and block_of(specs, quant)[1] >= 2:
        return shape.parameters * bytes_of_weight(specs, quant)  # not a quantisation: a format of all weights
    linears = shape.linears or int(shape.parameters * 0.9)
    if quant.startswith("mxfp4") and shape.parts.get("experts"):
        linears = shape.parts["experts"]  # gpt-oss: attention and routers are not quantised
    if quant.startswith("mlx"):
        linears += shape.parts.get("embedding", 0) + shape.parts.get("head", 0)
    return linears * bytes_of_weight(specs, quant) + (shape.parameters - linears) * bytes_of_weight(specs, rest)


def _mixed(specs: "Specs", shape: "ModelShape", row: Mapping[str, Any]) -> float:
    def size(name: str) -> float:
        return bytes_of_weight(specs, name)

    if not shape.linears:  # a description: embedding and head are 5 %, as in 7B models
        return shape.parameters * (0.95 * size(row["base"]) + 0.05 * size(row["head"]))
    parts, layers = shape.parts, shape.layers or 1
    base = size(row["base"])
    linears = shape.linears or 0
    hidden, kv = shape.hidden or 0, (shape.kv_heads or 0) * (shape.head_dim or 0)
    attended = sum(cache.layers for cache in shape.caches if cache.what in ("full", "window")) or layers
    grouped = shape.heads and shape.kv_heads and shape.heads // shape.kv_heads >= 4
    value = row.get("value_of_groups") if grouped and "value_of_groups" in row else row.get("value")
    roles = {
        "value": (value, hidden * kv * attended, attended),
        "down": (row.get("down"), (parts.get("mlp", 0) + parts.get("experts", 0)) // 3, layers),
        "experts": (row.get("experts"), parts.get("experts", 0), layers),
        "output": (row.get("output"), (shape.heads or 0) * (shape.head_dim or 0) * hidden * attended, attended),
    }
    routers = parts.get("routers", 0)  # in 32 bits, like vectors
    linears -= routers
    total = linears * base
    for said, count, number in roles.values():
        if said and count and count < linears:
            total += count * (_mean(str(said), number, base, size) - base)
    embedding, head = parts.get("embedding", 0), parts.get("head", 0)
    total += (embedding * base + head * size(row["head"])) if head else embedding * size(row["head"])
    return total + (shape.parameters - linears - embedding - head) * 4


def _mean(said: str, layers: int, base: float, size: Callable[[str], float]) -> float:
    """Return the mean bytes of a weight whose format depends on the layer: "more q6_k", "first2 q5_k/q4_k"."""
    where, _, names = said.rpartition(" ")
    first, _, other = names.partition("/")
    rest = size(other) if other else base
    first_ones = {"first2": 2, "first4": 4, "eighth": layers // 8, "sixteenth": layers // 16, "": layers}
    if where == "more":
        eighth = layers // 8
        chosen = sum(n < eighth or n >= 7 * layers // 8 or (n - eighth) % 3 == 2 for n in range(layers))
    else:
        chosen = min(first_ones[where], layers)
    return (chosen * size(first) + (layers - chosen) * rest) / layers


def stated_quantisation(config: Mapping[str, object]) -> str | None:
    """Return the format in a config's quantization_config; None if accel does not know it."""
    inner = config.get("quantization")  # from modelopt's own file, hf_quant_config.json
    config = inner if isinstance(inner, Mapping) else config
    method = str(config.get("quant_method") or config.get("quant_algo") or "").lower()
    if algorithm := str(config.get("quant_algo") or "").lower():  # modelopt: "FP8", "NVFP4", "W4A16_AWQ", "W4A8_AWQ"
        return next((word for sign, word in _ALGORITHMS if sign in algorithm), None)
    stated = config.get("bits") or config.get("w_bit") or config.get("nbits")
    bits = int(stated) if isinstance(stated, int) or (isinstance(stated, str) and stated.isdecimal()) else None
    if method == "mlx" or (
        method == "" and bits and "group_size" in config and "mode" not in config and len(config) <= 3
    ):
        return f"mlx{bits}" if config.get("group_size") == 64 else f"mlx{bits}_{config.get('group_size')}"
    if method in ("gptq", "awq", "hqq", "eetq", "aqlm") or (method == "" and bits):
        return ("awq" if method == "awq" else _BITS.get(bits or 4)) if bits != 8 else "gptq8"
    if method == "bitsandbytes" or "load_in_4bit" in config or "load_in_8bit" in config:
        if config.get("load_in_4bit") or config.get("_load_in_4bit"):
            return "nf4_dq" if config.get("bnb_4bit_use_double_quant") else "nf4"
        return "int8"
    if method in ("mxfp4", "fp8", "fbgemm_fp8", "mxfp8"):
        return "fp8" if "fp8" in method and method != "mxfp8" else method
    if method in ("compressed-tensors", "modelopt") and "config_groups" in config:
        return _compressed(config)
    return "nvfp4" if "fp4" in method else None


def _compressed(config: Mapping[str, object]) -> str | None:
    groups = config.get("config_groups")
    first = next(iter(groups.values()), None) if isinstance(groups, Mapping) else None
    weights = first.get("weights") if isinstance(first, Mapping) else None
    if not isinstance(weights, Mapping):
        return None
    bits, kind = weights.get("num_bits"), weights.get("type")
    if kind == "float":
        four = "mxfp4" if weights.get("group_size") == 32 else "nvfp4"
        return {8: "fp8", 4: four}.get(bits) if isinstance(bits, int) else None
    return {8: "int8", 4: "int4"}.get(bits) if isinstance(bits, int) else None


def window_cells(window: int) -> int:
    """Return how many tokens llama.cpp keeps of a sliding window: window plus micro-batch (512), padded to 256.

    Source  llama.cpp, src/llama-kv-cache-iswa.cpp: GGML_PAD(n_swa + n_ubatch, 256)
    """
    return -(-(window + 512) // 256) * 256
