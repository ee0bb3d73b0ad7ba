"""What other estimators say of the rows in fit_figures.yaml: a JSON document a line, for fit_peers.jsonl.

    PYTHON benchmarks/fit_peers.py accelerate     PYTHON has accelerate, transformers and PyYAML
    PYTHON benchmarks/fit_peers.py hf-mem         PYTHON has hf-mem and PyYAML

They ask the hub for a model by name; here their own functions are given the same configuration, without a network.
accelerate: the size of the weights (`calculate_maximum_sizes`) and of a step of training with Adam
(`estimate_training_usage`). hf-mem: the cache (`compute_safetensors_kv_cache_size`). DeepSpeed's estimators are
formulas of a few figures, and in fit.py.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "nf4": 0.5, "nf4_dq": 0.5, "awq": 0.5, "gptq": 0.5}
_CACHE = {"fp16": "F16", "bf16": "BF16", "fp32": "F32", "fp8": "F8_E4M3"}


def by_accelerate(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    import torch
    from accelerate.commands.estimate import estimate_training_usage
    from accelerate.utils import calculate_maximum_sizes
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    known: dict[str, int | None] = {}
    for row in rows:
        config = row["input"].get("config")
        parts = row["options"].get("tensor_parallel", 1) > 1 or row["options"].get("train") in ("lora", "qlora")
        if not config or parts:  # it estimates neither parts of a model nor adapters
            continue
        key = json.dumps(config, sort_keys=True)
        if key not in known:
            try:
                read = AutoConfig.for_model(**config)
                with torch.device("meta"):
                    try:
                        model = AutoModelForCausalLM.from_config(read)
                    except ValueError:
                        model = AutoModel.from_config(read)
                known[key] = int(calculate_maximum_sizes(model.to(torch.float32))[0])
            except Exception as error:
                print(f"{row['id']}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
                known[key] = None
        size, options = known[key], row["options"]
        if size is None:
            continue
        dtype = options.get("dtype") or str(config.get("torch_dtype", "bfloat16")).replace("float", "fp").replace(
            "bfp", "bf"
        )
        told: dict[str, Any] = {"id": row["id"]}
        if options.get("train") == "full":
            precision = "float32" if dtype == "fp32" else "bfloat16"
            told["total_bytes"] = max(estimate_training_usage(size, precision).values())
        else:
            each = _BYTES.get(str(options.get("quant") or dtype).replace("-", "_"), 2)
            told["weights_bytes"] = told["total_bytes"] = int(size / 4 * each)
        yield told


def by_hf_mem(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    from hf_mem.safetensors.kv_cache import compute_safetensors_kv_cache_size

    for row in rows:
        config, options = row["input"].get("config"), row["options"]
        if not config or "kv_cache_bytes" not in row.get("expect", {}):
            continue
        dtype = _CACHE.get(options.get("kv_dtype") or options.get("dtype") or "bf16")
        try:
            size = compute_safetensors_kv_cache_size(
                config.get("text_config") or config, str(dtype), options["context"], options.get("batch", 1)
            )
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            print(f"{row['id']}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
            continue
        yield {"id": row["id"], "kv_cache_bytes": size}


if __name__ == "__main__":
    stated = yaml.safe_load((Path(__file__).parent / "fit_figures.yaml").read_text(encoding="utf-8"))
    for line in {"accelerate": by_accelerate, "hf-mem": by_hf_mem}[sys.argv[1]](stated):
        print(json.dumps({"peer": sys.argv[1], **line}), flush=True)
