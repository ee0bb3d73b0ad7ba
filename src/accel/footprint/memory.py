"""Bytes of a model on one device: weights, caches, training states, activations, and the program itself."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.footprint import formats
from accel.footprint.activations import inference_activations, training_activations, unpacked
from accel.footprint.model import Plan, lora_targets
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape
    from accel.specs.load import Specs


_CONTEXT: Final = 2048  # if neither the user nor the model states one; also the limit for a model's own default
_MASTER: Final = 4.0  # bytes of the 32-bit copy that mixed precision keeps of each trained parameter
_UNPACKED: Final = frozenset(
    ("nf4", "nf4_dq", "bnb4", "int8", "llm_int8")
)  # bitsandbytes unpacks a matrix for its product
_ADAPTER: Final = 4.0  # LoRA's own matrices are trained in 32 bits
_TRACED_BAND: Final = 0.03  # difference between torch's tracker on fake tensors and a real process
_WEIGHTS_BAND: Final = 0.01  # for weights of known size: padding, buffers
_CACHE_BAND: Final = 0.03
_ACTIVATIONS_BAND: Final = (0.4, 0.6)  # variation in the activations that frameworks keep


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The memory on the fullest device, in bytes. low, high: range of the total; reasons: why it is wide.

    host_bytes  what offloading keeps in host memory, per device
    notes       assumptions
    """

    parameters: int
    trained: int
    weights_bytes: int
    kv_cache_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    activations_bytes: int
    overhead_bytes: int
    total_bytes: int
    low: int
    high: int
    host_bytes: int = 0
    context: int
    dtype: str
    quant: str | None
    kv_dtype: str
    notes: tuple[str, ...] = ()

    @property
    def model_states_bytes(self) -> int:
        """Weights, gradients and the optimizer's states."""
        return self.weights_bytes + self.gradients_bytes + self.optimizer_bytes


def needed(shape: "ModelShape", plan: Plan, specs: "Specs", backend: str = "nvidia") -> Need:
    """Return a model's memory on each device; raises BadInput for an invalid format, optimizer or split."""
    _check(plan)
    _optimizer(specs, plan.optimizer)
    notes: list[str] = []
    dtype = formats.plain(plan.dtype) if plan.dtype else (shape.dtype or "bf16")
    if dtype not in ("fp32", "bf16", "fp16") and not plan.quant:
        formats.bytes_of_weight(specs, dtype)
    compute = dtype if dtype in ("fp32", "bf16", "fp16") else "bf16"
    quant = _quant(shape, plan, specs)
    context = plan.context or min(shape.longest or _CONTEXT, _CONTEXT)
    if plan.context is None:
        notes.append(f"--context is not given: {context} tokens of each sequence are assumed.")
    if shape.longest and context > shape.longest:
        notes.append(f"The model supports {shape.longest} positions, but --context requests {context}.")
    if plan.train is None and (plan.zero or plan.offload or plan.checkpointing != "none"):
        notes.append("--zero, --offload and --checkpointing are of training: without --train they change nothing.")
    weights = _weights(shape, plan, specs, dtype, compute, quant)
    split = plan.tensor_parallel * plan.pipeline_parallel
    trained = _trained(shape, plan)
    weights, gradients, optimizer, host = _states(shape, plan, specs, weights / split, trained / split, compute)
    cache = 0.0 if plan.train else sum(cache_bytes(shape, plan, specs, context, compute).values())
    if plan.train:
        activations = training_activations(shape, plan, context, formats.bytes_of_weight(specs, compute))
    else:
        activations = inference_activations(shape, plan, context, formats.bytes_of_weight(specs, compute))
    if quant in _UNPACKED:
        activations += unpacked(shape, formats.bytes_of_weight(specs, compute))
    row = _overhead(specs, backend)
    buffers = _buffers(shape, plan, specs, weights, trained / split)
    program = row["bytes"] + buffers
    parts = weights + gradients + optimizer + cache + activations + program
    below, above = _ACTIVATIONS_BAND
    unsure = (weights + gradients + optimizer) * (_WEIGHTS_BAND + shape.band) + cache * _CACHE_BAND
    return Need(
        parameters=shape.parameters,
        trained=int(trained),
        weights_bytes=int(weights),
        kv_cache_bytes=int(cache),
        gradients_bytes=int(gradients),
        optimizer_bytes=int(optimizer),
        activations_bytes=int(activations),
        overhead_bytes=int(program),
        total_bytes=int(parts),
        low=int(max(parts - unsure - activations * below - (program - row["low"]), weights)),
        high=int(parts + unsure + activations * above + row["high"] - row["bytes"]),
        host_bytes=int(host),
        context=context,
        dtype=dtype,
        quant=quant,
        kv_dtype=formats.plain(plan.kv_dtype) if plan.kv_dtype else compute,
        notes=tuple(notes),
    )


def of_tensors(
    parameters: int,
    trained: int,
    by_kind: Mapping[str, int],
    peak_bytes: int,
    workspace_bytes: int,
    specs: "Specs",
    backend: str,
) -> Need:
    """Return the memory of a module whose tensors were tracked: `by_kind` of them at their peak.

    workspace_bytes  what kernels may use in addition to tensors: included in the high end of the range
    """
    row = _overhead(specs, backend)
    weights = by_kind.get("parameter", 0) + by_kind.get("buffer", 0)
    gradients, states = by_kind.get("gradient", 0), by_kind.get("optstate", 0)
    unsure = peak_bytes * _TRACED_BAND
    return Need(
        parameters=parameters,
        trained=trained,
        weights_bytes=weights,
        kv_cache_bytes=0,
        gradients_bytes=gradients,
        optimizer_bytes=states,
        activations_bytes=max(peak_bytes - weights - gradients - states, 0),
        overhead_bytes=int(row["bytes"]),
        total_bytes=peak_bytes + int(row["bytes"]),
        low=int(peak_bytes - unsure + row["low"]),
        high=int(peak_bytes + unsure + workspace_bytes + row["high"]),
        context=0,
        dtype="as it is",
        quant=None,
        kv_dtype="as it is",
    )


def _check(plan: Plan) -> None:
    for name in ("batch", "devices", "tensor_parallel", "pipeline_parallel", "lora_rank"):
        if getattr(plan, name) < 1:
            raise BadInput(f"--{name.replace('_', '-')} is 1 or more.")
    if plan.context is not None and plan.context < 1:
        raise BadInput("--context is 1 or more.")
    if plan.zero not in (0, 1, 2, 3):
        raise BadInput("--zero is 0, 1, 2 or 3.")


def _quant(shape: "ModelShape", plan: Plan, specs: "Specs") -> str | None:
    if plan.train == "qlora":
        return formats.plain(plan.quant or "nf4_dq")
    if plan.quant:
        name = formats.plain(plan.quant)
        if formats.mixture_of(specs, name) is None:
            formats.bytes_of_weight(specs, name)
        return name
    if shape.tensors or not shape.quantization:
        return None
    return formats.stated_quantisation(shape.quantization)


def _weights(shape: "ModelShape", plan: Plan, specs: "Specs", dtype: str, compute: str, quant: str | None) -> float:
    if quant:
        return formats.quantised_bytes(specs, shape, quant, compute)
    if shape.tensors and plan.dtype is None and plan.train != "full":
        return float(sum(one.size_bytes for one in shape.tensors))
    return shape.parameters * formats.bytes_of_weight(specs, dtype if plan.train is None else compute)


def _trained(shape: "ModelShape", plan: Plan) -> float:
    if plan.train is None:
        return 0
    if plan.train == "full":
        return shape.parameters
    return lora_parameters(shape, plan.lora_rank, lora_targets(plan))


def lora_parameters(shape: "ModelShape", rank: int, targets: str) -> int:
    """Return the parameters that LoRA adds: rank x (rows + columns) of each matrix.

    targets  "query and value", as PEFT chooses; "attention"; "all" matrices of attention and MLP, as QLoRA does
    """
    hidden, layers = shape.hidden or 0, shape.layers or 0
    queries = (shape.heads or 0) * (shape.head_dim or 0)
    keys = (shape.kv_heads or 0) * (shape.head_dim or 0)
    if targets == "query and value":
        return rank * layers * (2 * hidden + queries + keys)
    attention = 2 * (hidden + queries) + 2 * (hidden + keys)
    if targets == "attention":
        return rank * layers * attention
    mlp = shape.mlp_matrices * (hidden + (shape.intermediate or 4 * hidden)) if not shape.parts.get("experts") else 0
    return rank * layers * (attention + mlp)


def _states(
    shape: "ModelShape", plan: Plan, specs: "Specs", weights: float, trained: float, compute: str
) -> tuple[float, float, float, float]:
    """Return weights, gradients and the optimizer's states on one device, and what is in host memory."""
    if plan.train is None:
        return weights, 0.0, 0.0, 0.0
    row = _optimizer(specs, plan.optimizer)
    each = float(row["bytes"])
    if "other_bytes" in row and shape.linears:
        share = shape.linears / shape.parameters
        each = share * each + (1 - share) * float(row["other_bytes"])
    size = formats.bytes_of_weight(specs, compute)
    if plan.train == "full":
        gradients = trained * size
        optimizer = trained * (each + (_MASTER if compute != "fp32" else 0.0))
    else:
        weights += trained * _ADAPTER
        gradients, optimizer = trained * _ADAPTER, trained * each
    shared = plan.devices
    if plan.zero >= 1:
        optimizer /= shared
    if plan.zero >= 2:
        gradients /= shared
    if plan.zero >= 3:
        weights /= shared
    host = 0.0
    if plan.offload:
        host += optimizer
        optimizer = 0.0
    if plan.offload in ("parameters", "params", "all", "parameter"):
        host += weights
        weights = 0.0
    return weights, gradients, optimizer, host


def _buffers(shape: "ModelShape", plan: Plan, specs: "Specs", weights: float, trained: float) -> float:
    """Return the bytes of ZeRO's buffers on one device: gradients in transit, and at stage 3 gathered parameters.

    weights, trained  bytes of the weights, already partitioned at stage 3, and parameters trained
    """
    if plan.train is None or not plan.zero or plan.devices == 1:
        return 0.0
    row = (specs.table("models/training") or {})["zero"]
    size = _ADAPTER if plan.train != "full" else formats.bytes_of_weight(specs, "bf16")
    total = min(float(row["bucket_parameters"]), trained) * size
    if plan.zero == 3 and shape.parameters:
        gathered = min(float(row["live_parameters"]), shape.parameters) / shape.parameters
        total += gathered * weights * plan.devices
    return total


def _optimizer(specs: "Specs", name: str) -> Mapping[str, Any]:
    rows: dict[str, Mapping[str, Any]] = {
        one: row for row in (specs.table("models/training") or {})["optimizers"] for one in row["of"]
    }
    if formats.plain(name) not in rows:
        raise BadInput(f"{name!r} is no optimizer that accel knows.{formats.nearest(formats.plain(name), rows)}")
    return rows[formats.plain(name)]


def _overhead(specs: "Specs", backend: str) -> Mapping[str, Any]:
    rows: dict[str, Mapping[str, Any]] = {
        row["backend"]: row for row in (specs.table("models/training") or {})["overheads"]
    }
    return rows.get(backend) or rows["other"]


def cache_bytes(shape: "ModelShape", plan: Plan, specs: "Specs", context: int, compute: str) -> dict[str, float]:
    """Return the bytes of the cache by kind, for all sequences, on one device.

    Tensor parallelism splits the heads of keys and values, up to their number; each device has the whole latent cache.
    """
    size = formats.bytes_of_weight(specs, plan.kv_dtype) if plan.kv_dtype else formats.bytes_of_weight(specs, compute)
    state_size = formats.bytes_of_weight(specs, compute)
    mixture = formats.mixture_of(specs, plan.quant) if plan.quant and not shape.tensors else None
    llama_cpp = mixture is not None and formats.block_of(specs, mixture["base"])[0] > 1
    found: dict[str, float] = {}
    for one in shape.caches:
        window = formats.window_cells(one.window) if one.window and llama_cpp else one.window
        tokens = min(context, window) if window else context
        parts = min(plan.tensor_parallel, one.heads) if one.heads else 1
        layers = one.layers / plan.pipeline_parallel
        count = layers * plan.batch * (one.elements * tokens * size + one.state * state_size) / parts
        found[one.what] = found.get(one.what, 0.0) + count
    return found
