"""What is known about a model before its weights are loaded: parameters by part, caches; and how it is to be run."""

from collections.abc import Mapping
from typing import Literal

from accel.model.dataclass import dataclass, field

Train = Literal["full", "lora", "qlora"]
Attention = Literal["eager", "flash"]
Targets = Literal["query and value", "attention", "all"]
Checkpointing = Literal["none", "selective", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a model is to be run.

    context          tokens per sequence, including generated ones; None: the model's maximum, up to 2048
    batch            concurrent sequences; for training the micro-batch of one device
    dtype            of weights and computation; None: as published, else bf16
    quant            format of the layers' matrices, or a llama.cpp mixture; None: as the model states it
    kv_dtype         of the cache; None: as dtype
    train            None: inference
    lora_targets     None: query and value for "lora", as PEFT chooses, and all for "qlora"
    zero             stage over `devices`, 0 to 3; offload: "optimizer" or "parameters" stay in host memory
    devices          how many devices share the states by ZeRO; tensor_parallel: how many share each layer
    pipeline_parallel  how many share the layers
    """

    context: int | None = None
    batch: int = 1
    dtype: str | None = None
    quant: str | None = None
    kv_dtype: str | None = None
    train: Train | None = None
    lora_rank: int = 16
    lora_targets: Targets | None = None
    optimizer: str = "adamw"
    zero: int = 0
    devices: int = 1
    offload: str | None = None
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    attention: Attention = "flash"
    checkpointing: Checkpointing = "none"


def lora_targets(plan: Plan) -> Targets:
    """Return which matrices get adapters: those in the plan, else the defaults of PEFT and QLoRA."""
    return plan.lora_targets or ("all" if plan.train == "qlora" else "query and value")


Origin = Literal["counted", "computed", "estimated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The cache of all layers of one kind, per sequence.

    layers    how many layers are of this kind
    elements  kept per token and layer: keys and values of all their heads
    window    only this many of the last tokens are kept; None: all
    state     elements kept per layer regardless of length: for recurrent layers
    what      "full", "window", "latent", "state" or "cross"
    heads     of keys and values, which tensor parallelism splits; None: the cache is the same on each device
    """

    what: Literal["full", "window", "latent", "state", "cross"]
    layers: int
    elements: int = 0
    window: int | None = None
    state: int = 0
    heads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensors:
    """All tensors of one format. dtype: as in the file; elements: parameters; size_bytes: in the file."""

    dtype: str
    elements: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """The shape of a model.

    name          of the folder, file or configuration; family: its `model_type` or GGUF architecture
    parameters    all of them, counting a tied matrix once
    active        those used per token; None if unknown
    parts         part -> parameters: "embedding", "attention", "mlp", "experts", "norms", "head", "vision", …
    origin        "counted" from the tensors of files, "computed" from a known family, "estimated" from shapes alone
    band          relative uncertainty of the parameters: 0.0 if counted
    hidden, layers, heads, kv_heads, head_dim, intermediate, vocabulary   None if it has none or it is unknown
    dtype         of the published weights, by accel's names: "bf16"
    tensors       the files' contents; () without files, for a configuration
    caches        what layers keep per sequence
    linears       parameters in the layers' matrices, to which quantisation and LoRA apply
    dropout       it is trained with dropout, whose masks are kept
    norm          "rms" or "layer"; None for a description; qk_norm: queries and keys have their own norms
    gated         its MLPs have three matrices; None for a description
    composed      its activation function consists of several operations, each of which keeps its input
    predicts      it scores each word of its vocabulary
    gaps          sentences: what is unknown, and how that affects the figures
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
        """The number of matrices in an MLP, 2 or 3; for a description, derived from its MLPs' parameters."""
        if self.gated is not None:
            return 3 if self.gated else 2
        plain = 2 * (self.layers or 1) * (self.hidden or 1) * (self.intermediate or 4 * (self.hidden or 1))
        return 3 if self.parts.get("experts") or self.parts.get("mlp", 0) >= 1.25 * plain else 2
