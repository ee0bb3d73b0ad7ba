"""Reads the shape of a model from its files: a config, headers of safetensors and GGUF files. Weights are not read."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.footprint.config import shape_of
from accel.footprint.gguf import Incomplete, read_gguf
from accel.footprint.model import ModelShape, Tensors
from accel.footprint.safetensors import HEAD_BYTES, elements, header_length, parts_of, read_header, summed
from accel.machine.outside import open_regular, read_regular, read_up_to
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable
from accel.specs.load import Specs
from accel.text.pattern import pattern

_MOST_CONFIG: Final = 16 << 20
_MOST_FILES: Final = 4000
_FIRST_GGUF: Final = 8 << 20  # bytes of a GGUF file that are read first; a large vocabulary needs more
_MOST_GGUF: Final = 512 << 20
_HEADERLESS: Final = (".bin", ".pth", ".pt", ".ckpt", ".h5", ".msgpack")
_PACKED: Final = frozenset(("i32", "u32", "i64", "u8", "i8", "f8_e8m0"))  # pack several weights each

_PIECE: Final = pattern(r"-of-(\d{1,6})\.safetensors$")

_Header = dict[str, tuple[str, tuple[int, ...], int]]


def shape_of_path(path: str, specs: Specs) -> ModelShape:
    """Return the shape of the model in a folder or a file; raises BadInput with the next step if there is none."""
    if not os.path.exists(path):
        raise BadInput(
            f"{path}: no such file or folder. accel fit reads a model on this disk; otherwise its config.json is "
            "enough, or sizes:  accel fit --params 7B --layers 32 --hidden 4096 --heads 32"
        )
    if os.path.isdir(path):
        return _folder(path, specs)
    if path.endswith(".gguf"):
        return _gguf([path], specs)
    if path.endswith(".safetensors"):
        beside = os.path.join(os.path.dirname(path), "config.json")
        return _with_tensors([path], _config(beside) if os.path.exists(beside) else None, specs, os.path.basename(path))
    if path.endswith(".json"):
        return shape_of(_config(path), specs, None)
    raise BadInput(f"{path}: is not a folder, a config.json, a .safetensors or a .gguf file.")


def _folder(path: str, specs: Specs) -> ModelShape:
    name = os.path.basename(os.path.abspath(path))
    names = sorted(os.listdir(path))[:_MOST_FILES]
    if "model_index.json" in names:
        return _pipeline(path, name, specs)
    if "adapter_config.json" in names and "config.json" not in names:
        base = _config(os.path.join(path, "adapter_config.json")).get("base_model_name_or_path")
        of = f", {printable(str(base))[:80]}" if base else ""
        raise BadInput(
            f"{path}: contains an adapter but not its model{of}. Pass the model's folder; for training an "
            "adapter:  accel fit ./model --train lora --lora-rank 16"
        )
    ggufs = [os.path.join(path, one) for one in names if one.endswith(".gguf")]
    config = _config(os.path.join(path, "config.json")) if "config.json" in names else None
    if config is not None and "hf_quant_config.json" in names and "quantization_config" not in config:
        config = {**config, "quantization_config": _config(os.path.join(path, "hf_quant_config.json"))}
    tensors, gaps = _shards(path, names)
    if tensors:
        shape = _with_tensors(tensors, config, specs, name)
        return replace(shape, gaps=(*shape.gaps, *gaps))
    if ggufs:
        return _gguf(ggufs, specs)
    if config is None and gaps:
        raise BadInput(
            f"{path}: files of weights are missing, and there is no config.json to size them by. Get it first."
        )
    if config is None:
        others = [one for one in names if one.endswith(_HEADERLESS)]
        held = f" It has {others[0]}, whose sizes only the framework that wrote it can read." if others else ""
        raise BadInput(
            f"{path}: has neither config.json nor *.safetensors nor *.gguf.{held} The model's config.json is enough, "
            "or sizes:  accel fit --params 7B --layers 32 --hidden 4096 --heads 32"
        )
    shape = shape_of(config, specs, name)
    return replace(shape, gaps=(*shape.gaps, *gaps))


def _shards(path: str, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the weight files, from the index if there is one, and those that are missing."""
    index = next((one for one in names if one.endswith(".safetensors.index.json")), None)
    if index is None:
        found = [one for one in names if one.endswith(".safetensors") and not one.startswith("consolidated")]
        counts = {int(piece[1]) for one in found if (piece := _PIECE.search(one))}
        if len(counts) == 1 and len(found) < (whole := counts.pop()):
            return [], [_missing(whole - len(found), whole)]
        return [os.path.join(path, one) for one in found], []
    listed = _config(os.path.join(path, index)).get("weight_map")
    wanted = sorted({str(one) for one in listed.values()}) if isinstance(listed, Mapping) else []
    wanted = [one for one in wanted if os.path.basename(one) == one]
    there = [one for one in wanted if one in names]
    missing = len(wanted) - len(there)
    gaps = []
    if missing:
        gaps.append(_missing(missing, len(wanted)))
    return ([] if missing else [os.path.join(path, one) for one in there]), gaps


def _missing(count: int, of: int) -> str:
    return f"{count} of {of} files of weights are missing: their sizes are taken from the config."


def _config(path: str) -> Mapping[str, Any]:
    try:
        found = json.loads(read_regular(path, _MOST_CONFIG))
    except (ValueError, RecursionError):
        raise BadInput(f"{path}: is no JSON. Download it again.") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}.") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path}: is no JSON object, as a config.json is. Download it again.")
    return found


def _header(path: str) -> _Header:
    name = os.path.basename(path)
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            length = header_length(read_up_to(file, HEAD_BYTES), name)
            if length > size - HEAD_BYTES:
                raise BadInput(f"{name}: claims a header of {length} bytes and has {size} in all. Download it again.")
            return read_header(read_up_to(file, length), name, size - HEAD_BYTES - length)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}.") from None


def _with_tensors(paths: Sequence[str], config: Mapping[str, Any] | None, specs: Specs, name: str) -> ModelShape:
    tensors: _Header = {}
    for path in paths:
        tensors |= _header(path)
    rows = summed(tensors.values())
    count = sum(elements(shape) for _, shape, _ in tensors.values())
    packed = any(row.dtype in _PACKED for row in rows)
    if config is None:
        return ModelShape(
            name=name,
            family=None,
            parameters=count,
            parts=parts_of(tensors),
            origin="counted",
            dtype=_main(rows),
            tensors=rows,
            gaps=("There is no config.json next to the weights: no cache is counted.",),
        )
    shape = shape_of(config, specs, name)
    if packed or (config.get("quantization_config") and any(row.dtype.startswith("f8") for row in rows)):
        return replace(shape, tensors=rows, dtype=shape.dtype or "bf16")
    return replace(
        shape,
        parameters=count,
        active=None if shape.active is None else shape.active + count - shape.parameters,
        origin="counted",
        band=0.0,
        tensors=rows,
        dtype=_main(rows) or shape.dtype,
    )


def _main(rows: tuple[Tensors, ...]) -> str | None:
    words = {"bf16": "bf16", "f16": "fp16", "f32": "fp32"}
    return next((words[row.dtype] for row in rows if row.dtype in words), None)


def _gguf(paths: Sequence[str], specs: Specs) -> ModelShape:
    """Return the shape of a GGUF file, or of all its parts; for several unrelated files, of the first."""
    first = _one_gguf(paths[0], specs)
    pieces = [path for path in paths if "-of-" in os.path.basename(path)]
    if len(pieces) < 2:
        others = (
            []
            if len(paths) == 1
            else [f"The folder holds {len(paths)} GGUF files; this is {os.path.basename(paths[0])}."]
        )
        return replace(first, gaps=(*first.gaps, *others))
    shapes = [first, *(_one_gguf(path, specs) for path in pieces[1:])]
    parts: dict[str, int] = {}
    for shape in shapes:
        for part, count in shape.parts.items():
            parts[part] = parts.get(part, 0) + count
    merged: dict[str, list[int]] = {}
    for row in (row for shape in shapes for row in shape.tensors):
        one = merged.setdefault(row.dtype, [0, 0])
        one[0] += row.elements
        one[1] += row.size_bytes
    return replace(
        first,
        parameters=sum(shape.parameters for shape in shapes),
        parts=parts,
        tensors=tuple(Tensors(dtype=word, elements=n, size_bytes=size) for word, (n, size) in merged.items()),
        gaps=tuple(gap for gap in first.gaps if "pieces" not in gap),
    )


def _one_gguf(path: str, specs: Specs) -> ModelShape:
    name = os.path.basename(path)
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            data, most = read_up_to(file, _FIRST_GGUF), _FIRST_GGUF
            while True:
                try:
                    return read_gguf(data, name, specs, size)
                except Incomplete:
                    if len(data) < most or most >= _MOST_GGUF:
                        raise BadInput(f"{name}: ends within its header: it is truncated. Download it again.") from None
                    most *= 4
                    data += read_up_to(file, most - len(data))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}.") from None


def _pipeline(path: str, name: str, specs: Specs) -> ModelShape:
    """Return the shape of a diffusers pipeline: all its models together, since all are loaded."""
    index = _config(os.path.join(path, "model_index.json"))
    total, gaps = 0, []
    parts: dict[str, int] = {}
    rows: list[tuple[str, tuple[int, ...], int]] = []
    for part, value in index.items():
        folder = os.path.join(path, part)
        if not isinstance(value, list) or not os.path.isdir(folder):
            continue
        files = sorted(_weights_of_part(folder))
        if not files:
            if os.path.exists(os.path.join(folder, "config.json")):
                gaps.append(f"{part}: has no *.safetensors, and is not counted.")
            continue
        for one in files:
            tensors = _header(one)
            count = sum(elements(shape) for _, shape, _ in tensors.values())
            total, parts[part] = total + count, parts.get(part, 0) + count
            rows += tensors.values()
    if not total:
        raise BadInput(
            f"{path}: is a pipeline without *.safetensors. Download its weights, or ask of one of its models."
        )
    return ModelShape(
        name=name,
        family=str(index.get("_class_name") or "pipeline"),
        parameters=total,
        parts=parts,
        origin="counted",
        tensors=summed(rows),
        dtype=_main(summed(rows)),
        gaps=(*gaps, "Activations of a pipeline depend on the size of its images, and are not counted."),
    )


def _weights_of_part(folder: str) -> Iterator[str]:
    names = sorted(one for one in os.listdir(folder)[:_MOST_FILES] if one.endswith(".safetensors"))
    plain = [one for one in names if ".fp16" not in one and ".bf16" not in one and "non_ema" not in one]
    for one in plain or names:
        yield os.path.join(folder, one)
