"""How a model is to be run: the options of `accel fit`."""

from typing import Literal

from accel.model.dataclass import dataclass

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
