"""Reads the shape of an encoder-decoder model, T5, BART or Whisper, from its config."""

from collections.abc import Mapping
from typing import Any, Final

from accel.footprint.blocks import linear
from accel.footprint.model import Cache, ModelShape
from accel.footprint.values import Values
from accel.model.errors import BadInput
from accel.specs.load import Specs

_BAND: Final = 0.1  # for a family that the table lacks
_NO_ROW: Final[Mapping[str, Any]] = {"norm": "layer", "bias": True, "final_norm": True, "tie": True}


def is_encoder_decoder(config: Mapping[str, Any]) -> bool:
    """Return whether a config describes an encoder-decoder model."""
    layers = any(key in config for key in ("d_model", "encoder_layers"))
    return bool(config.get("is_encoder_decoder")) and layers


def encoder_decoder(config: Mapping[str, Any], specs: Specs, name: str | None) -> ModelShape:
    """Return the shape; raises BadInput if the config has no hidden size or layers."""
    table = specs.table("models/families") or {}
    values = Values(config, table["fields"])
    kind = config.get("model_type")
    row = next((one for one in table["encoder_decoders"] if kind in one["of"]), None)
    build = _Build(config, row or _NO_ROW, values)
    parts = {part: count for part, count in build.parts().items() if count}
    return ModelShape(
        name=name or config.get("_name_or_path") or None,
        family=kind,
        parameters=sum(parts.values()),
        active=sum(parts.values()),
        parts=parts,
        origin="computed" if row else "estimated",
        band=0.0 if row else _BAND,
        hidden=build.hidden,
        layers=build.encoder_layers + build.decoder_layers,
        heads=build.heads,
        kv_heads=build.heads,
        head_dim=build.head_dim,
        intermediate=build.widths[1],
        vocabulary=build.vocabulary,
        longest=values.whole("longest"),
        dtype=None,
        caches=build.caches(),
        dropout=bool(config.get("dropout_rate", config.get("dropout", 0.1))),
        norm=(row or _NO_ROW)["norm"],
        gated=build.gated,
        composed=config.get("feed_forward_proj") == "gated-gelu",
        linears=parts.get("encoder", 0) + parts.get("decoder", 0),
        gaps=() if row else (f"The architecture {kind!r} is not in accel's tables: its parameters are estimated.",),
    )


class _Build:
    def __init__(self, config: Mapping[str, Any], row: Mapping[str, Any], values: Values) -> None:
        hidden = values.whole("hidden")
        decoder = config.get("decoder_layers") or config.get("num_decoder_layers") or config.get("num_layers")
        encoder = config.get("encoder_layers") or config.get("num_layers") or decoder
        if not hidden or not isinstance(decoder, int) or not isinstance(encoder, int):
            raise BadInput(
                "The config states no hidden size or no layers. Describe the model by --params and --layers."
            )
        self.config, self.row = config, row
        self.hidden, self.decoder_layers, self.encoder_layers = hidden, decoder, encoder
        self.heads = int(config.get("decoder_attention_heads") or values.whole("heads") or 1)
        self.head_dim = int(config.get("d_kv") or hidden // self.heads)
        both = values.whole("intermediate") or 4 * hidden
        self.widths = int(config.get("encoder_ffn_dim") or both), int(config.get("decoder_ffn_dim") or both)
        self.vocabulary = values.whole("vocabulary") or 0
        self.gated = bool(config.get("is_gated_act")) or str(config.get("feed_forward_proj", "")).startswith("gated")

    def parts(self) -> dict[str, int]:
        """Return the parameters by part."""
        row, config, hidden = self.row, self.config, self.hidden
        layer = self.attention() + self.norm()
        encoder = self.encoder_layers * (layer + self.mlp(self.widths[0]))
        decoder = self.decoder_layers * (2 * layer + self.mlp(self.widths[1]))
        tables = self.vocabulary * hidden
        if row.get("relative_positions"):
            tables += 2 * int(config.get("relative_attention_num_buckets") or 32) * self.heads
        offset, longest = row.get("positions"), config.get("max_position_embeddings")
        if offset is not None and longest:
            tables += 2 * (int(longest) + int(offset)) * hidden
        elif config.get("model_type") == "mbart" and longest:
            tables += 2 * (int(longest) + 2) * hidden
        elif config.get("model_type") in ("pegasus", "blenderbot", "blenderbot-small", "marian") and longest:
            tables += 2 * int(longest) * hidden
        if row.get("stem") == "sound":
            bins, frames = int(config.get("num_mel_bins") or 80), int(config.get("max_source_positions") or 1500)
            encoder += linear(3 * bins, hidden, True) + linear(3 * hidden, hidden, True)
            tables += (frames + int(config.get("max_target_positions") or 448)) * hidden
        norms = 2 * (bool(row.get("final_norm", True)) + bool(row.get("embedding_norm"))) * self.norm()
        tied = config.get("tie_word_embeddings", row.get("tie", True))
        return {
            "embedding": tables,
            "encoder": encoder,
            "decoder": decoder,
            "norms": norms,
            "head": 0 if tied else self.vocabulary * hidden,
        }

    def attention(self) -> int:
        """Return the parameters of one attention block."""
        inner, bias = self.heads * self.head_dim, bool(self.row.get("bias"))
        keys = linear(self.hidden, inner, bias and self.row.get("key_bias", True))
        return 2 * linear(self.hidden, inner, bias) + keys + linear(inner, self.hidden, bias)

    def mlp(self, width: int) -> int:
        """Return the parameters of one MLP and its norm."""
        bias = bool(self.row.get("bias"))
        up = (2 if self.gated else 1) * linear(self.hidden, width, bias)
        return up + linear(width, self.hidden, bias) + self.norm()

    def norm(self) -> int:
        """Return the parameters of one normalisation."""
        return self.hidden * (2 if self.row["norm"] == "layer" else 1)

    def caches(self) -> tuple[Cache, ...]:
        """Return the decoder's caches: of its own tokens, and of the encoder's."""
        each = 2 * self.heads * self.head_dim
        source = int(self.config.get("max_source_positions") or 0) or None
        own = Cache(what="full", layers=self.decoder_layers, elements=each, heads=self.heads)
        return own, Cache(what="cross", layers=self.decoder_layers, elements=each, window=source, heads=self.heads)
