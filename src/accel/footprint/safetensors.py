"""Reads headers of safetensors files: their tensors and formats, without the weights."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from accel.footprint.model import Tensors
from accel.model.errors import BadInput

HEAD_BYTES: Final = 8  # before the header: its length, little endian
MOST_HEADER: Final = 100_000_000  # the format's own library rejects more
_MOST_RANK: Final = 16


def header_length(first: bytes, name: str) -> int:
    """Return the length of the header, from the file's first 8 bytes; raises BadInput if it is impossible."""
    if len(first) < HEAD_BYTES:
        raise BadInput(f"{name}: shorter than the 8 bytes that begin a safetensors file. Download it again.")
    length = int.from_bytes(first[:HEAD_BYTES], "little")
    if not 2 <= length <= MOST_HEADER:
        raise BadInput(f"{name}: claims a header of {length} bytes; no safetensors file has one over 100 MB.")
    return length


def read_header(data: bytes, name: str, size_bytes: int | None) -> dict[str, tuple[str, tuple[int, ...], int]]:
    """Return tensor -> (format, shape, bytes); raises BadInput for a truncated or inconsistent header.

    size_bytes  of the data after the header, according to the file system; None if unknown
    """
    try:
        header: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise BadInput(f"{name}: its header is cut off or no JSON. Download the file again.") from None
    if not isinstance(header, dict):
        raise BadInput(f"{name}: its header is no JSON object. Download the file again.")
    found = {}
    for tensor, one in header.items():
        if tensor == "__metadata__":
            continue
        found[tensor] = _tensor(tensor, one, name)
    end = max((int(one["data_offsets"][1]) for key, one in header.items() if key != "__metadata__"), default=0)
    if size_bytes is not None and end > size_bytes:
        raise BadInput(
            f"{name}: its header lists {end} bytes of tensors but the file has {size_bytes}: it is truncated. "
            "Download it again."
        )
    return found


def _tensor(tensor: str, one: Any, name: str) -> tuple[str, tuple[int, ...], int]:
    try:
        dtype, shape, (begin, end) = str(one["dtype"]), tuple(one["shape"]), one["data_offsets"]
        good = (
            len(shape) <= _MOST_RANK and all(type(n) is int and n >= 0 for n in (*shape, begin, end)) and begin <= end
        )
    except (TypeError, KeyError, ValueError):
        good = False
    if not good:
        raise BadInput(
            f"{name}: its header has nothing usable about the tensor {tensor[:60]!r}. Download the file again."
        )
    return dtype, shape, end - begin


def summed(tensors: Iterable[tuple[str, tuple[int, ...], int]]) -> tuple[Tensors, ...]:
    """Return the tensors by format, those with the most bytes first."""
    total: dict[str, list[int]] = {}
    for dtype, shape, size in tensors:
        one = total.setdefault(dtype.lower(), [0, 0])
        one[0] += elements(shape)
        one[1] += size
    rows = (Tensors(dtype=name, elements=count, size_bytes=size) for name, (count, size) in total.items())
    return tuple(sorted(rows, key=lambda row: -row.size_bytes))


def elements(shape: Iterable[int]) -> int:
    """Return the number of elements in a tensor of this shape."""
    count = 1
    for length in shape:
        count *= length
    return count


def part_of(tensor: str) -> str:
    """Return the part of a model that a tensor belongs to, from its name in any common naming scheme."""
    name = tensor.lower()
    for part, signs in _PARTS:
        if any(sign in name for sign in signs):
            return part
    return "other"


_PARTS: Final = (
    ("vision", ("vision", "visual", "image_encoder", "patch_embed")),
    ("audio", ("audio_tower", "audio_encoder")),
    ("norms", ("norm", "ln_", ".ln", "_ln")),
    ("head", ("lm_head", "output.weight", "embed_out", "score.")),
    ("embedding", ("embed", "wte", "wpe", "tok_embeddings", "shared.weight")),
    ("experts", ("expert", "router", "mlp.gate.", "gate_inp")),
    ("attention", ("attn", "attention", "q_proj", "k_proj", "v_proj", "o_proj")),
    ("mixers", ("mamba", "mixer", "ssm", "conv1d", "delta")),
    ("mlp", ("mlp", "ffn", "feed_forward", "fc1", "fc2", "dense")),
)


def parts_of(tensors: Mapping[str, tuple[str, tuple[int, ...], int]]) -> dict[str, int]:
    """Return part -> parameters."""
    parts: dict[str, int] = {}
    for tensor, (_, shape, _) in tensors.items():
        part = part_of(tensor)
        parts[part] = parts.get(part, 0) + elements(shape)
    return parts
