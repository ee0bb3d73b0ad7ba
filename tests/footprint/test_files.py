"""Headers of files, whole and broken: sizes are exact, and what is no model is refused with the next step."""

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from accel.apps import api
from accel.footprint.files import shape_of_path
from accel.footprint.memory import needed
from accel.footprint.model import Plan
from accel.model.errors import BadInput

CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
}


def safetensors(tensors: dict[str, tuple[str, list[int], int]], cut: int = 0) -> bytes:
    header, place = {}, 0
    for name, (dtype, shape, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(place - cut)


def gguf(metadata: dict[str, Any], tensors: dict[str, tuple[list[int], int]], version: int = 3, data: int = 0) -> bytes:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    def entry(value: Any) -> bytes:
        if isinstance(value, str):
            return struct.pack("<I", 8) + text(value)
        if isinstance(value, list):
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        return struct.pack("<II", 4, value)

    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    out += b"".join(text(key) + entry(value) for key, value in metadata.items())
    for name, (shape, kind) in tensors.items():
        out += (
            text(name)
            + struct.pack("<I", len(shape))
            + struct.pack(f"<{len(shape)}Q", *shape)
            + struct.pack("<IQ", kind, 0)
        )
    return out + bytes(data)


_LLAMA = {
    "general.architecture": "llama",
    "general.name": "tiny\x1b[31m",
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b"],
}


def test_shards_of_a_folder_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    names = {}
    for number in (1, 2):
        name = f"model-0000{number}-of-00002.safetensors"
        (tmp_path / name).write_bytes(safetensors({f"layer.{number}": ("BF16", [10, 10], 200)}))
        names[f"layer.{number}"] = name
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    shape = shape_of_path(str(tmp_path), api._specs())
    assert (shape.parameters, shape.origin, shape.dtype) == (200, "counted", "bf16")
    assert [row.size_bytes for row in shape.tensors] == [400]
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    partial = shape_of_path(str(tmp_path), api._specs())
    assert partial.origin == "computed"
    assert "1 of 2 files of weights are missing" in partial.gaps[0]
    (tmp_path / "model.safetensors.index.json").unlink()  # the names tell it as well
    assert shape_of_path(str(tmp_path), api._specs()).gaps == partial.gaps


def test_packed_weights_count_as_bytes_and_parameters_come_from_the_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({**CONFIG, "quantization_config": {"quant_method": "gptq", "bits": 4}})
    )
    (tmp_path / "model.safetensors").write_bytes(
        safetensors({"q.qweight": ("I32", [8, 64], 2048), "e": ("F16", [100, 64], 12800)})
    )
    shape = shape_of_path(str(tmp_path), api._specs())
    assert shape.origin == "computed"
    assert sum(row.size_bytes for row in shape.tensors) == 14848


def test_a_gguf_file_tells_sizes_formats_and_cache(tmp_path: Path) -> None:
    tensors = {
        "token_embd.weight": ([64, 100], 1),
        "blk.0.attn_q.weight": ([256, 4], 12),
        "output_norm.weight": ([64], 0),
    }
    size = 6400 * 2 + 4 * 144 + 64 * 4
    (tmp_path / "tiny.gguf").write_bytes(gguf(_LLAMA, tensors, data=size))
    shape = shape_of_path(str(tmp_path / "tiny.gguf"), api._specs())
    assert shape.parameters == 6400 + 1024 + 64
    assert {row.dtype: row.size_bytes for row in shape.tensors} == {"f16": 12800, "q4_k": 576, "f32": 256}
    assert [(cache.layers, cache.elements) for cache in shape.caches] == [(2, 64)]
    assert shape_of_path(str(tmp_path), api._specs()).parameters == shape.parameters


_BROKEN: dict[str, tuple[str, bytes, str]] = {
    "an empty file": ("model.safetensors", b"", "shorter than the 8 bytes"),
    "a header of 10^18 bytes": ("model.safetensors", struct.pack("<Q", 10**18) + b"{}", "claims a header"),
    "a header cut off": ("model.safetensors", struct.pack("<Q", 500) + b'{"a"', "claims a header of 500"),
    "a header that is no JSON": ("model.safetensors", struct.pack("<Q", 4) + b"{{{{", "no JSON"),
    "a negative shape": ("model.safetensors", safetensors({"a": ("F32", [-1], 4)}), "nothing usable about the tensor"),
    "data cut off": ("model.safetensors", safetensors({"a": ("F32", [10], 40)}, cut=8), "truncated"),
    "a GGUF of a newer version": ("a.gguf", gguf(_LLAMA, {}, version=9), "version 9"),
    "a GGUF cut off": ("a.gguf", gguf(_LLAMA, {})[:60], "truncated"),
    "a GGUF without its data": ("a.gguf", gguf(_LLAMA, {"token_embd.weight": ([64, 100], 1)}), "truncated"),
    "a GGUF that claims 10^15 tensors": ("a.gguf", b"GGUF" + struct.pack("<IQQ", 3, 10**15, 0), "claims"),
    "another file": ("a.gguf", b"PK\x03\x04" + bytes(64), "does not begin as a GGUF file"),
    "a type of ggml that is not known": ("a.gguf", gguf(_LLAMA, {"x": ([32], 99)}, data=99), "ggml type 99"),
    "a config that is a list": ("config.json", b"[1]", "no JSON object"),
    "a config cut off": ("config.json", b'{"model_type": "lla', "no JSON"),
    "weights of torch alone": ("pytorch_model.bin", b"", "neither config.json"),
}


@pytest.mark.parametrize(("name", "data", "says"), _BROKEN.values(), ids=_BROKEN)
def test_what_is_broken_is_named_with_the_next_step(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    path = tmp_path if name.endswith(".bin") else tmp_path / name
    with pytest.raises(BadInput, match=says):
        shape_of_path(str(path), api._specs())


def test_a_path_that_is_not_there_names_what_is_enough(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="accel fit --params"):
        shape_of_path(str(tmp_path / "absent"), api._specs())


def test_a_pipeline_is_counted_by_its_models(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text(
        json.dumps({"_class_name": "FluxPipeline", "unet": ["a", "b"], "vae": ["a", "b"]})
    )
    for part, count in (("unet", 100), ("vae", 10)):
        (tmp_path / part).mkdir()
        (tmp_path / part / "model.safetensors").write_bytes(safetensors({"w": ("F16", [count], 2 * count)}))
    shape = shape_of_path(str(tmp_path), api._specs())
    assert dict(shape.parts) == {"unet": 100, "vae": 10}


def test_no_damage_to_a_header_is_more_than_bad_input(tmp_path: Path) -> None:
    tensors = {"token_embd.weight": ([64, 100], 1), "blk.0.attn_q.weight": ([256, 4], 12)}
    whole = {
        "a.gguf": gguf({**_LLAMA, "llama.attention.sliding_window": 64}, tensors, data=13400),
        "a.safetensors": safetensors({"layer.0.weight": ("BF16", [10, 10], 200), "b": ("F32", [3], 12)}),
        "a.json": json.dumps({**CONFIG, "layer_types": ["full_attention"] * 2}).encode(),
    }
    chance, told, specs = random.Random(7), 0, api._specs()
    for name, data in whole.items():
        head = min(len(data), 600)
        for _ in range(250):
            damaged = bytearray(data)
            for _ in range(chance.choice((1, 1, 2, 8))):
                damaged[chance.randrange(head)] = chance.choice((0, 1, 7, 34, 48, 127, 255))
            cut = chance.randrange(head) if chance.random() < 0.2 else len(data)
            (tmp_path / name).write_bytes(damaged[:cut])
            try:
                needed(shape_of_path(str(tmp_path / name), specs), Plan(context=64), specs)
            except BadInput:
                told += 1
    assert told > 200
