"""Reads headers of GGUF files: the model's sizes and its tensors' formats, without their weights."""

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

from accel.footprint.formats import block_of, window_cells
from accel.footprint.model import Cache, ModelShape, Tensors
from accel.footprint.safetensors import elements, part_of
from accel.model.errors import BadInput
from accel.specs.load import Specs

MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST: Final = 10_000_000  # entries of one array, and tensors
_LONG: Final = 1 << 20  # the longest text that is kept; longer ones are skipped
_MOST_RANK: Final = 4
_EVERY: Final = {"gemma2": 2, "gemma3": 6, "cohere2": 4, "gpt-oss": 2, "llama4": 4}  # one of N has full attention


class Incomplete(Exception):
    """The header continues beyond the bytes given: read more."""


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name, self.place, self.order = data, name, 0, "<"

    def take(self, count: int) -> bytes:
        if count < 0 or count > 1 << 40:
            raise BadInput(f"{self.name}: claims a length of {count} bytes in its header. Download the file again.")
        end = self.place + count
        if end > len(self.data):
            raise Incomplete
        found, self.place = self.data[self.place : end], end
        return found

    def number(self, code: str) -> Any:
        return struct.unpack(self.order + code, self.take(struct.calcsize(self.order + code)))[0]

    def text(self) -> str:
        length = self.number("Q")
        data = self.take(length)
        return data[:_LONG].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array()
        raise BadInput(f"{self.name}: has a value of type {kind}, which this version of accel does not know.")

    def _array(self) -> Any:
        inner, count = self.number("I"), self.number("Q")
        if count > _MOST:
            raise BadInput(f"{self.name}: claims an array of {count} entries in its header. Download the file again.")
        if inner in _SCALARS:
            code = _SCALARS[inner]
            data = self.take(count * struct.calcsize(self.order + code))
            return list(struct.unpack(f"{self.order}{count}{code}", data)) if count <= 4096 else count
        values = [self.value(inner) for _ in range(count)]
        return values if count <= 4096 else count


def read_gguf(data: bytes, name: str, specs: Specs, size_bytes: int | None = None) -> ModelShape:
    """Return the shape of a GGUF file from its first bytes.

    size_bytes  of the whole file; None if unknown

    Raises Incomplete if `data` ends inside the header, BadInput if it is not a GGUF file or has an unknown version.
    """
    reader = _Reader(data, name)
    if reader.take(4) != MAGIC:
        raise BadInput(f"{name}: does not begin as a GGUF file does.")
    version = reader.number("I")
    if version not in _VERSIONS and int.from_bytes(version.to_bytes(4, "little"), "big") in _VERSIONS:
        reader.order, version = ">", int.from_bytes(version.to_bytes(4, "little"), "big")
    if version not in _VERSIONS:
        raise BadInput(
            f"{name}: has GGUF version {version}, but accel reads 2 and 3. Update accel, or convert the file."
        )
    tensors, pairs = reader.number("Q"), reader.number("Q")
    if tensors > _MOST or pairs > _MOST:
        raise BadInput(f"{name}: claims {tensors} tensors and {pairs} entries in its header. Download the file again.")
    metadata = {reader.text(): reader.value(reader.number("I")) for _ in range(pairs)}
    return _shape(metadata, [_tensor(reader) for _ in range(tensors)], reader, specs, size_bytes)


def _tensor(reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
    name, rank = reader.text(), reader.number("I")
    if rank > _MOST_RANK:
        raise BadInput(f"{reader.name}: has a tensor of {rank} dimensions, and GGUF knows 4. Download the file again.")
    shape = tuple(reader.number("Q") for _ in range(rank))
    return name, shape, reader.number("I"), reader.number("Q")


def _shape(
    metadata: Mapping[str, Any],
    tensors: list[tuple[str, tuple[int, ...], int, int]],
    reader: _Reader,
    specs: Specs,
    size_bytes: int | None,
) -> ModelShape:
    table = specs.table("models/formats") or {}
    kinds: Mapping[int, str] = {int(key): value for key, value in table["ggml_types"].items()}
    rows: dict[str, list[int]] = {}
    parts: dict[str, int] = {}
    gaps: list[str] = []
    for tensor, shape, kind, _ in tensors:
        count = elements(shape)
        word = kinds.get(kind)
        if word is None:
            raise BadInput(f"{reader.name}: a tensor has ggml type {kind}, which this version of accel does not know.")
        block, size = block_of(specs, word)
        one = rows.setdefault(word, [0, 0])
        one[0] += count
        one[1] += int(-(-count // block) * size)
        part = _part(tensor)
        parts[part] = parts.get(part, 0) + count
    total = sum(size for _, size in rows.values())
    if size_bytes is not None and reader.place + total > size_bytes:
        pieces = metadata.get("split.count")
        if isinstance(pieces, int) and pieces > 1:
            gaps.append(f"{reader.name} is one of {pieces} pieces: give the folder for all of them.")
        else:
            raise BadInput(
                f"{reader.name}: lists {total} bytes of tensors but has {size_bytes} in total: it is truncated. "
                "Download it again."
            )
    arch = str(metadata.get("general.architecture") or "")

    def of(key: str) -> Any:
        return metadata.get(f"{arch}.{key}")

    heads, hidden, layers = _first(of("attention.head_count")), of("embedding_length"), of("block_count")
    kv = of("attention.head_count_kv")
    dim = of("attention.key_length") or (hidden // heads if hidden and heads else None)
    vocabulary = metadata.get("tokenizer.ggml.tokens")
    return ModelShape(
        name=str(metadata.get("general.name") or "") or None,
        family=arch or None,
        parameters=sum(count for count, _ in rows.values()),
        parts=parts,
        origin="counted",
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=_first(kv) or heads,
        head_dim=dim,
        intermediate=_first(of("feed_forward_length")),
        vocabulary=len(vocabulary) if isinstance(vocabulary, list) else vocabulary,
        longest=of("context_length"),
        dtype="fp16",
        tensors=tuple(
            Tensors(dtype=word, elements=count, size_bytes=size)
            for word, (count, size) in sorted(rows.items(), key=lambda item: -item[1][1])
        ),
        caches=_caches(arch, of, kv, heads, dim, layers),
        linears=sum(parts.get(part, 0) for part in ("attention", "mlp", "experts", "mixers")),
        gaps=tuple(gaps) if layers and hidden else (*gaps, "The header states no layers: no cache is counted."),
    )


def _first(value: Any) -> int | None:
    return max(value, default=None) if isinstance(value, list) else value


def _part(tensor: str) -> str:
    if tensor.startswith("output."):
        return "head"
    if tensor.startswith("token_embd"):
        return "embedding"
    if "_exps" in tensor or "_shexp" in tensor or "ffn_gate_inp" in tensor:
        return "experts"
    return part_of(tensor)


def _caches(
    arch: str, of: Callable[[str], Any], kv: Any, heads: int | None, dim: int | None, layers: int | None
) -> tuple[Cache, ...]:
    if not layers or not dim:
        return ()
    if low := of("attention.kv_lora_rank"):
        each = int(low) + int(of("rope.dimension_count") or 64)
        return (Cache(what="latent", layers=layers, elements=each),)
    value_dim = of("attention.value_length") or dim
    by_layer = kv if isinstance(kv, list) else [kv or heads or 0] * layers
    window, pattern = of("attention.sliding_window"), of("attention.sliding_window_pattern")
    every = pattern if isinstance(pattern, int) else _EVERY.get(arch, 0)
    found: dict[tuple[int, bool], int] = {}
    for number, count in enumerate(by_layer):
        if not count:
            continue
        listed = isinstance(pattern, list) and number < len(pattern)
        slides = bool(window) and bool(pattern[number] if listed else every and (number + 1) % every)
        key = int(count), slides
        found[key] = found.get(key, 0) + 1
    return tuple(
        Cache(
            what="window" if slides else "full",
            layers=number,
            elements=count * (dim + value_dim),
            window=window_cells(int(window)) if slides else None,
            heads=count,
        )
        for (count, slides), number in found.items()
    )
