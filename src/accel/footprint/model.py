"""What is known of a model before its weights are loaded: parameters by part, and what layers keep of a text."""

from collections.abc import Mapping
from typing import Literal

from accel.model.dataclass import dataclass, field

Origin = Literal["counted", "computed", "estimated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """What layers of one kind keep for each sequence.

    layers    how many layers are of this kind
    elements  kept for each token and layer: keys and values of all their heads
    window    only so many of the last tokens are kept; None: all
    state     elements kept for each layer whatever the length: of recurrent layers
    what      "full", "window", "latent", "state" or "cross"
    heads     of keys and values, which tensor parallelism divides; None: the cache is the same on each device
    """

    what: Literal["full", "window", "latent", "state", "cross"]
    layers: int
    elements: int = 0
    window: int | None = None
    state: int = 0
    heads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensors:
    """Tensors of one format, together. dtype: as the file says it; elements: parameters; size_bytes: in the file."""

    dtype: str
    elements: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """The shape of a model.

    name          of the folder, file or configuration; family: its `model_type` or GGUF architecture
    parameters    all of them, a tied matrix once
    active        those that one token passes; None where that is not known
    parts         part -> parameters: "embedding", "attention", "mlp", "experts", "norms", "head", "vision", …
    origin        "counted" from the tensors of files, "computed" from a known family, "estimated" from shapes alone
    band          the parameters lie within this share of the figure: 0.0 of counted ones
    hidden, layers, heads, kv_heads, head_dim, intermediate, vocabulary   None where there is none or it is not known
    dtype         of the weights as published, by accel's names: "bf16"
    tensors       what the files hold; () where there are none: of a configuration
    caches        what layers keep of each sequence
    linears       parameters in the matrices of layers, which quantisation and LoRA act on
    dropout       it is trained with dropout, whose masks are kept
    norm          "rms" or "layer"; None: of a description; qk_norm: queries and keys have norms of their own
    gated         its MLPs have three matrices; None: of a description
    composed      its activation function is made of several operations, each of which keeps its input
    predicts      it scores each word of its vocabulary
    gaps          sentences: what is not known, and what that does to the figures
    """

    name: str | None
    family: str | None
    parameters: int
    active: int | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    origin: Origin = "computed"
    band: float = 0.0
    hidden: int | None = None
    layers: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    intermediate: int | None = None
    vocabulary: int | None = None
    longest: int | None = None
    dtype: str | None = None
    quantization: Mapping[str, object] | None = None
    tensors: tuple[Tensors, ...] = ()
    caches: tuple[Cache, ...] = ()
    linears: int | None = None
    dropout: bool = False
    norm: str | None = None
    qk_norm: bool = False
    gated: bool | None = None
    composed: bool = False
    predicts: bool = True
    gaps: tuple[str, ...] = ()

    @property
    def mlp_matrices(self) -> int:
        """How many matrices an MLP has, 2 or 3; of a description by how many parameters its MLPs have."""
        if self.gated is not None:
            return 3 if self.gated else 2
        plain = 2 * (self.layers or 1) * (self.hidden or 1) * (self.intermediate or 4 * (self.hidden or 1))
        return 3 if self.parts.get("experts") or self.parts.get("mlp", 0) >= 1.25 * plain else 2
