"""Print the bytes that torch saves for the backward pass of one layer of small models, a JSON document a line.

Storages are counted once, parameters and buffers left out; the layer's share is the difference of four and two layers.
The models have no dropout, since the CPU's masks are larger than those of other devices.
"""

import json
from typing import Any

import torch
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

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

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        model.train()(tokens)
    return sum(found.values())


torch.manual_seed(0)
torch.set_num_threads(1)
for attention in ("eager", "sdpa"):
    for dtype in (torch.float32, torch.bfloat16):
        for name, sizes in CONFIGS.items():
            both = []
            for layers in (2, 4):
                count = {"n_layer" if name == "gpt2" else "num_hidden_layers": layers}
                config = AutoConfig.for_model(name, **sizes, **count)
                kind = AutoModel if name == "bert" else AutoModelForCausalLM
                model = kind.from_config(config, attn_implementation=attention).to(dtype)
                both.append(saved(model, torch.randint(0, 1000, (2, 256))))
            row = {
                "config": {"model_type": name, "num_hidden_layers": 2, **sizes},
                "batch": 2,
                "context": 256,
                "attention": attention,
                "dtype": str(dtype).removeprefix("torch."),
                "layer_bytes": (both[1] - both[0]) // 2,
            }
            print(json.dumps(row), flush=True)
