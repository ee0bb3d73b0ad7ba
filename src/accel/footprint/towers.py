"""Towers in front of a language model that encode images or sound: their parameters from their own configs."""

from collections.abc import Mapping
from typing import Any, Final

from accel.footprint.blocks import linear
from accel.footprint.families import read_value
from accel.footprint.model import ModelShape
from accel.footprint.values import Values, with_defaults
from accel.model.dataclass import dataclass, replace
from accel.specs.load import Specs

_BAND: Final = 0.1  # for a tower that the table lacks, of its own parameters
_TOWERS: Final = ("vision_config", "audio_config", "vision_tower_config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower:
    """The parts of a tower of transformer layers; fields that its row omits have the defaults here.

    frames       images per patch; merger: it joins patches and projects them itself, as in Qwen models
    class_tokens  learned tokens before the patches
    mask_token, positions, pre_norm, post_norm, layer_scale, pooling_head, pooler   whether it has these
    """

    norm: str = "layer"
    gated: bool = False
    bias: bool = True
    qkv_bias: Any = None
    patch_bias: bool = False
    frames: int = 1
    class_tokens: int = 0
    mask_token: bool = False
    positions: bool = True
    pre_norm: bool = False
    post_norm: bool = True
    layer_scale: bool = False
    pooling_head: Any = False
    pooler: bool = False
    merger: str = "none"


def towers(config: Mapping[str, Any], shape: ModelShape, specs: Specs) -> ModelShape:
    """Return the shape including the towers that the config describes, and the layers that connect them."""
    table = specs.table("models/families") or {}
    parts, doubt, gaps = dict(shape.parts), shape.parameters * shape.band, list(shape.gaps)
    for key in _TOWERS:
        inner = config.get(key)
        if not isinstance(inner, Mapping) or not inner:
            continue
        kind = inner.get("model_type") or config.get("model_type")
        inner = with_defaults({**inner, "model_type": kind}, specs)
        count, known = tower_parameters(inner, table, config, shape.hidden or 0)
        part = "audio" if key == "audio_config" else "vision"
        parts[part] = parts.get(part, 0) + count
        if not known:
            doubt += count * _BAND
            gaps.append(f"The {part} tower {inner.get('model_type')!r} is not in accel's tables: it is estimated.")
    total = sum(parts.values())
    added = total - shape.parameters
    if not added:
        return shape
    return replace(
        shape,
        family=config.get("model_type") or shape.family,
        parameters=total,
        active=None if shape.active is None else shape.active + added,
        parts=parts,
        band=doubt / total if total else 0.0,
        gaps=tuple(gaps),
    )


def tower_alone(config: Mapping[str, Any], specs: Specs, name: str | None) -> ModelShape:
    """Return the shape of a tower that is a separate model: ViT, DINOv2, the vision half of CLIP."""
    table = specs.table("models/families") or {}
    kind = str(config.get("model_type"))
    full = with_defaults(config, specs)
    count, _ = tower_parameters(full, table, {}, 0)
    values = Values(full, {**table["fields"], **_FIELDS})
    return ModelShape(
        name=name,
        family=kind,
        parameters=count,
        active=count,
        parts={"vision": count},
        hidden=values.whole("hidden"),
        layers=values.whole("layers"),
        linears=count,
    )


def tower_parameters(
    inner: Mapping[str, Any], table: Mapping[str, Any], outer: Mapping[str, Any], text: int
) -> tuple[int, bool]:
    """Return the parameters of one tower and its connection to a text model of this width, and whether it is known."""
    kind = inner.get("model_type")
    row = next((one for one in table["towers"] if kind in one["of"]), None)
    tower = Tower(**{name: read_value(value, inner) for name, value in row.items() if name != "of"}) if row else Tower()
    values = Values(inner, {**table["fields"], **_FIELDS})
    hidden, layers = values.whole("hidden") or 0, values.whole("layers") or 0
    ratio = inner.get("mlp_ratio") or 4
    width = values.whole("intermediate") or int(hidden * ratio)
    channels, patch = values.whole("channels") or 3, values.whole("patch") or 14
    size = values.whole("image") or 224
    norm = hidden * (2 if tower.norm == "layer" else 1)
    qkv = tower.bias if tower.qkv_bias is None else bool(tower.qkv_bias)
    block = 3 * linear(hidden, hidden, qkv) + linear(hidden, hidden, tower.bias) + 2 * norm
    block += (2 if tower.gated else 1) * linear(hidden, width, tower.bias) + linear(width, hidden, tower.bias)
    block += 2 * hidden if tower.layer_scale else 0
    total = layers * block + linear(channels * tower.frames * patch**2, hidden, tower.patch_bias)
    total += hidden * (tower.class_tokens + tower.mask_token)
    if tower.positions:
        rows = inner.get("num_position_embeddings") or (size // patch) ** 2 + tower.class_tokens
        total += int(rows) * hidden
    total += norm * (bool(tower.pre_norm) + bool(tower.post_norm))
    if tower.pooler:
        total += linear(hidden, hidden, True)
    if tower.pooling_head:
        total += hidden + 4 * linear(hidden, hidden, True) + norm + linear(hidden, width, True)
        total += linear(width, hidden, True)
    total += _joined(inner, tower, outer, hidden, text) if outer else 0
    return total, row is not None


_FIELDS: Final = {
    "hidden": ["embed_dim", "hidden_size", "d_model", "width"],
    "layers": ["num_hidden_layers", "depth", "encoder_layers", "layers"],
    "channels": ["num_channels", "in_channels", "in_chans"],
    "patch": ["patch_size", "spatial_patch_size"],
    "image": ["image_size"],
}


def _joined(inner: Mapping[str, Any], tower: Tower, outer: Mapping[str, Any], hidden: int, text: int) -> int:
    """Return the parameters between a tower and its language model."""
    kind = str(outer.get("model_type") or "")
    merge = int(inner.get("spatial_merge_size") or outer.get("spatial_merge_size") or 2)
    wide = hidden * merge**2
    norm = 2 if tower.norm == "layer" else 1
    if tower.merger != "none":
        # Qwen2-VL calls its tower's output width "hidden_size", later models "out_hidden_size"
        gives = int(inner.get("out_hidden_size") or (inner.get("hidden_size") if "embed_dim" in inner else 0) or text)
        one = linear(wide, wide, True) + linear(wide, gives, True)
        levels = inner.get("deepstack_visual_indexes")
        return one + norm * hidden + (len(levels) if isinstance(levels, list) else 0) * (one + norm * wide)
    bias = bool(outer.get("multimodal_projector_bias", True))
    if kind.startswith("gemma3"):
        return hidden * text + hidden
    if kind == "clip":
        inner_text = outer.get("text_config")
        wide_text = inner_text.get("hidden_size", text) if isinstance(inner_text, Mapping) else text
        return int(outer.get("projection_dim") or 512) * (hidden + int(wide_text)) + 1
    if kind == "paligemma":
        return linear(hidden, int(outer.get("projection_dim") or inner.get("projection_dim") or text), True)
    if kind == "mistral3":
        return hidden + wide * hidden + linear(hidden, text, bias) + linear(text, text, bias)
    if kind in ("idefics3", "smolvlm"):
        return hidden * int(outer.get("scale_factor") or 2) ** 2 * text
    if kind.startswith("internvl"):
        return 2 * 4 * hidden + linear(4 * hidden, text, True) + linear(text, text, True)
    between = linear(hidden, text, bias) + linear(text, text, bias)
    return between + (text if kind.startswith("llava_next") or kind == "llava_onevision" else 0)
