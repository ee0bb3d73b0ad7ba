"""Bytes of activations: what training keeps for the backward pass, and what inference needs at one time.

Of training after "Reducing Activation Recomputation in Large Transformer Models" (arXiv 2205.05198), section 4, written
for any sizes: there a layer is 34 s b h + 5 a s² b bytes with a plain MLP of 4 h, with dropout and all heads alike.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.footprint.memory import Plan
    from accel.footprint.model import ModelShape

_CHUNK: Final = 2048  # tokens that inference servers pass through the layers at one time
_WIDE: Final = 4  # bytes of a value in 32 bits
_LOGITS: Final = 4  # bytes: logits are computed with in 32 bits


def inference_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the bytes of the widest moment of a forward pass: one layer's intermediate values, and the logits."""
    hidden, width = shape.hidden or 0, shape.intermediate or 4 * (shape.hidden or 0)
    queries = (shape.heads or 0) * (shape.head_dim or 0) + 2 * (shape.kv_heads or 0) * (shape.head_dim or 0)
    tokens = min(context * plan.batch, max(_CHUNK, plan.batch))
    layer = tokens * (3 * hidden + max(3 * width, queries + hidden)) * size / plan.tensor_parallel
    if plan.attention == "eager":
        layer += plan.batch * (shape.heads or 0) * min(context, _CHUNK) * context * size / plan.tensor_parallel
    return layer + plan.batch * (shape.vocabulary or 0) * (_LOGITS + size)


def unpacked(shape: "ModelShape", size: float) -> float:
    """Return the bytes of the largest matrix of a layer, which formats without kernels of their own unpack."""
    return (shape.hidden or 0) * (shape.intermediate or 4 * (shape.hidden or 0)) * size


def training_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the bytes that one device keeps from the forward to the backward pass."""
    hidden, layers = shape.hidden or 0, (shape.layers or 0) / plan.pipeline_parallel
    tokens = context * plan.batch
    kept = tokens * hidden * size  # the input of each layer, which full checkpointing keeps alone
    whole = layer_activations(shape, plan, context, size)
    total = layers * kept + whole if plan.checkpointing == "full" else layers * whole
    return total + tokens * (shape.vocabulary or 0) * (size + 2 * _LOGITS) / plan.tensor_parallel


def layer_activations(shape: "ModelShape", plan: "Plan", context: int, size: float) -> float:
    """Return the bytes that one layer keeps, of one device."""
    hidden = shape.hidden or 0
    heads, split = shape.heads or 0, plan.tensor_parallel
    tokens = context * plan.batch
    queries = heads * (shape.head_dim or 0) or hidden
    keys = (shape.kv_heads or heads) * (shape.head_dim or 0) or hidden
    width = shape.intermediate or 4 * hidden
    masks, trains = shape.dropout, plan.train == "full"
    inputs = 4 * hidden * size  # of the two norms, and of what follows each
    if shape.family is not None and not masks:
        inputs += 2 * hidden * (_WIDE + (size if trains else 0) - size)  # norms in 32 bits, outside one kernel
    inside = (2 * queries + 2 * keys) * size + mlp_values(shape, width) * size
    if masks:
        inputs += 2 * hidden  # two masks of a byte
    if plan.attention == "eager" and plan.checkpointing == "none":
        inside += heads * context * (2 * size + (1 if masks else 0))
    return tokens * (inputs + inside / split)


def mlp_values(shape: "ModelShape", width: int) -> float:
    """Return how many values the MLP keeps for each token: 2 a width of a plain one, 4 of a gated one; of experts those
    that a token passes.
    """
    hidden, layers = shape.hidden or 1, shape.layers or 1
    if shape.parts.get("experts") and shape.active:
        passed = shape.active - (shape.parameters - shape.parts["experts"])
        return 4 * max(passed, 0) / layers / (3 * hidden)
    dense = shape.parts.get("mlp", 0)
    return (4 if dense >= 2.5 * layers * hidden * width else 2) * width
