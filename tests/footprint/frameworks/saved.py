"""Print the bytes that torch saves for the backward pass of one layer of small models, a JSON document a line.

Storages are counted once, parameters and buffers left out; the layer's share is the difference of four and two layers.
The models have no dropout, since the CPU's masks are larger than those of other devices.
"""

import importlib
import json
from typing import Any

import torch

_TRANSFORMERS: Any = importlib.import_module("transformers")
_SMALL = {"hidden_size": 256, "vocab_size": 1000}
_GPT2 = {"n_embd": 256, "n_head": 4, "vocab_size": 1000, "attn_pdrop": 0.0, "resid_pdrop": 0.0, "embd_pdrop": 0.0}
_BERT = {"intermediate_size": 1024, "num_attention_heads": 4, "hidden_dropout_prob": 0.0}
CONFIGS: dict[str, dict[str, Any]] = {
    "bert": {**_SMALL, **_BERT, "attention_probs_dropout_prob": 0.0},
    "llama": {**_SMALL, "intermediate_size": 688, "num_attention_heads": 8, "num_key_value_heads": 2},
    "gpt2": {**_GPT2, "bos_token_id": None, "eos_token_id": None},
    "qwen3": {**_SMALL, "intermediate_size": 768, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64},
}


def saved(model: torch.nn.Module, tokens: torch.Tensor) -> int:
    """Return the bytes that a forward pass saves."""
    own = {one.untyped_storage().data_ptr() for one in (*model.parameters(), *model.buffers())}
    found: dict[int, int] = {}
    alive = []  # a storage that is freed would give its address to another

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own and storage.data_ptr() not in found:
            found[storage.data_ptr()] = storage.nbytes()
            alive.append(tensor)
        return tensor

    adapted = any(isinstance(one, Adapted) for one in model.modules())
    with (
        torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor),
        torch.autocast("cpu", torch.bfloat16, enabled=adapted),  # as Trainer runs adapters in 32 bits
    ):
        model.train()(tokens)
    return sum(found.values())


class Adapted(torch.nn.Module):  # type: ignore[misc]
    """A frozen matrix with LoRA's two in 32 bits, which its input is cast to, as PEFT does."""

    def __init__(self, frozen: torch.nn.Linear) -> None:
        super().__init__()
        self.frozen = frozen
        self.a = torch.nn.Linear(frozen.in_features, 4, bias=False)
        self.b = torch.nn.Linear(4, frozen.out_features, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = self.frozen(x)
        return (result + self.b(self.a(x.to(self.a.weight.dtype))) * 2.0).to(result.dtype)


TARGETS = {
    "query and value": ("q_proj", "v_proj"),
    "attention": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "all": ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
}


def with_adapters(model: Any, targets: str) -> Any:
    """Freeze a model and give the named matrices adapters."""
    model.requires_grad_(False)
    model.get_input_embeddings().register_forward_hook(lambda _module, _inputs, output: output.requires_grad_())
    for name, one in [*model.named_modules()]:
        parent, _, own = name.rpartition(".")
        if own in TARGETS[targets]:
            setattr(model.get_submodule(parent), own, Adapted(one))
    return model


def layer_bytes(name: str, attention: str, dtype: torch.dtype, targets: str | None) -> int:
    """Return what one layer saves: the difference of four and of two."""
    both = []
    for layers in (2, 4):
        count = {"n_layer" if name == "gpt2" else "num_hidden_layers": layers}
        config = _TRANSFORMERS.AutoConfig.for_model(name, **CONFIGS[name], **count)
        kind = _TRANSFORMERS.AutoModel if name == "bert" else _TRANSFORMERS.AutoModelForCausalLM
        model = kind.from_config(config, attn_implementation=attention).to(dtype)
        model = with_adapters(model, targets) if targets else model
        both.append(saved(model, torch.randint(0, 1000, (2, 256))))
    return (both[1] - both[0]) // 2


def main() -> None:
    """Print the rows."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    plans = [
        (name, how, dtype, None) for name in CONFIGS for how in ("eager", "sdpa") for dtype in ("float32", "bfloat16")
    ]
    plans += [(name, "sdpa", "bfloat16", targets) for name in ("llama", "qwen3") for targets in TARGETS]
    for name, attention, dtype, targets in plans:
        row = {
            "config": {"model_type": name, "num_hidden_layers": 2, **CONFIGS[name]},
            "batch": 2,
            "context": 256,
            "attention": attention,
            "dtype": dtype,
            "lora_targets": targets,
            "layer_bytes": layer_bytes(name, attention, getattr(torch, dtype), targets),
        }
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
