"""Bytes of activations: what training keeps for the backward pass, and what inference needs at one time.

Training follows "Reducing Activation Recomputation in Large Transformer Models" (arXiv 2205.05198), section 4,
generalised to any sizes: there a layer is 34 s b h + 5 a s² b bytes with a plain MLP of 4 h, with dropout and equal
heads. What the modules of transformers keep beyond that was measured with torch: tests/footprint/saved.jsonl.
"""

from typing import TYPE_CHECKING, Final

from accel.footprint.model import lora_targets

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape, Plan

_CHUNK: Final = 2048  # tokens that inference servers process at once
_WIDE: Final = 4  # bytes of a 32-bit value
_LOGITS: Final = 4  # bytes: logits are computed in 32 bits


def inference_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the peak bytes of a forward pass: one layer's intermediate values, and the logits."""
    hidden, width = shape.hidden or 0, shape.intermediate or 4 * (shape.hidden or 0)
    queries = (shape.heads or 0) * (shape.head_dim or 0) + 2 * (shape.kv_heads or 0) * (shape.head_dim or 0)
    tokens = min(context * plan.batch, max(_CHUNK, plan.batch))
    layer = tokens * (3 * hidden + max(3 * width, queries + hidden)) * size / plan.tensor_parallel
    if plan.attention == "eager":
        layer += plan.batch * (shape.heads or 0) * min(context, _CHUNK) * context * size / plan.tensor_parallel
    return layer + plan.batch * (shape.vocabulary or 0) * (_LOGITS + size)


def unpacked(shape: "ModelShape", size: float) -> float:
    """Return the bytes of the largest matrix of a layer, which formats without their own kernels unpack."""
    return (shape.hidden or 0) * (shape.intermediate or 4 * (shape.hidden or 0)) * size


def training_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the peak bytes that one device keeps from the forward to the backward pass."""
    hidden, layers = shape.hidden or 0, (shape.layers or 0) / plan.pipeline_parallel
    tokens = context * plan.batch
    kept = tokens * hidden * size  # the input of each layer, the only thing full checkpointing keeps
    whole = layer_activations(shape, plan, context, size)
    total = layers * kept + whole if plan.checkpointing == "full" else layers * whole
    scores = shape.vocabulary or 0 if shape.predicts else 0
    return total + tokens * scores * (size + 2 * _LOGITS) / plan.tensor_parallel


def layer_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the bytes that one layer keeps on one device."""
    hidden = shape.hidden or 0
    heads, split = shape.heads or 0, plan.tensor_parallel
    tokens = context * plan.batch
    queries = heads * (shape.head_dim or 0) or hidden
    keys = (shape.kv_heads or heads) * (shape.head_dim or 0) or hidden
    width = shape.intermediate or 4 * hidden
    masks, trains = shape.dropout, plan.train == "full"
    inputs = (4 if trains else 2) * hidden * size  # of the two norms, and of the matrices after each
    inside = (2 * queries + 2 * keys + mlp_values(shape, width, trains)) * size
    if not trains:
        inside += adapted(shape, plan, width) * size
    if shape.norm == "rms":  # several operations: its input in 32 bits, and the input of its weight
        loose = _WIDE + (size if trains else 0)
        inputs += 2 * hidden * (loose - size)
        inside += (queries + keys) * loose if shape.qk_norm else 0
    if masks:
        inputs += 2 * hidden  # two masks of one byte per value
    if plan.attention == "eager" and plan.checkpointing == "none":
        inside += heads * context * score_bytes(shape, size)
        inside += 2 * (queries - keys) * size if shape.norm is not None else 0  # keys and values repeated for each head
    return tokens * (inputs + inside / split)


def adapted(shape: "ModelShape", plan: "Plan", width: int) -> int:
    """Return how many values adapters keep per token: a copy of the input of each matrix that has one.

    Frozen matrices keep no input, since only the gradients of their weights would need it.
    Source  PEFT, src/peft/tuners/lora/layer.py: the input is cast to the type of the adapter's matrix, for each of them
    """
    hidden = shape.hidden or 0
    attention = 3 * hidden + ((shape.heads or 0) * (shape.head_dim or 0) or hidden)
    return {
        "query and value": 2 * hidden,
        "attention": attention,
        "all": attention + (shape.mlp_matrices - 1) * hidden + width,
    }[lora_targets(plan)]


def score_bytes(shape: "ModelShape", size: float) -> float:
    """Return the bytes that attention without a fused kernel keeps per head and pair of tokens.

    That is the softmax, which models with RMS norms compute in 32 bits and convert; with dropout also its mask and its
    result.
    """
    softmax = _WIDE + size if shape.norm == "rms" and size < _WIDE else size
    return softmax + (size + 1 if shape.dropout else 0)


def mlp_values(shape: "ModelShape", width: int, trains: bool) -> float:
    """Return how many values the MLP keeps per token, if its matrices are trained or frozen.

    These are the first product and the activation's result, for a gated MLP also the gate and the product of both; a
    GELU composed of several operations ("gelu_new") keeps 3 more. The last is the input of a matrix, not kept if that
    is frozen.
    """
    each = 2 + (2 if shape.mlp_matrices == 3 else 0) + (3 if shape.composed else 0) - (0 if trains else 1)
    if shape.parts.get("experts") and shape.active:  # only the experts used per token
        passed = shape.active - (shape.parameters - shape.parts["experts"])
        return each * max(passed, 0) / (shape.layers or 1) / (3 * (shape.hidden or 1))
    return each * width
