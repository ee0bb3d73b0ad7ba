"""Peak rates by number format, with their accumulator, and the measures by which chips are ranked."""

from typing import Final, Literal

from accel.model.chip import Chip
from accel.model.dataclass import dataclass

Unit = Literal["vector", "matrix"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A dense peak rate, without structured sparsity.

    dtype        format of the inputs: "fp16", "bf16", "tf32", "fp8", "int8"
    accumulator  format in which products are summed; None if the vendor does not say
    key          the name of the figure in the record: "fp16_tensor_acc32"
    """

    key: str
    dtype: str
    accumulator: str | None
    unit: Unit
    operations_per_second: int


_SHAPES: Final[dict[str, tuple[str, str | None, Unit]]] = {
    "fp64": ("fp64", "fp64", "vector"),
    "fp64_tensor": ("fp64", "fp64", "matrix"),
    "fp32": ("fp32", "fp32", "vector"),
    "fp32_matrix": ("fp32", "fp32", "matrix"),
    "tf32": ("tf32", "fp32", "matrix"),
    "fp16_vector": ("fp16", "fp16", "vector"),
    "fp16_tensor_acc32": ("fp16", "fp32", "matrix"),
    "fp16_tensor_acc16": ("fp16", "fp16", "matrix"),
    "bf16": ("bf16", "fp32", "matrix"),
    "fp8": ("fp8", None, "matrix"),
    "fp6": ("fp6", None, "matrix"),
    "fp4": ("fp4", None, "matrix"),
    "int8": ("int8", "int32", "matrix"),
    "int4": ("int4", "int32", "matrix"),
}
KEYS: Final = tuple(_SHAPES)
BITS: Final = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "fp6": 6, "fp4": 4, "int4": 4}
DTYPES: Final = tuple(dict.fromkeys(shape[0] for shape in _SHAPES.values()))
_PREFERRED: Final = {
    "fp64": ("fp64_tensor", "fp64"),
    "fp32": ("fp32_matrix", "fp32"),
    "fp16": ("fp16_tensor_acc32", "fp16_tensor_acc16", "fp16_vector"),
}
_OTHERS: Final = ("memory", "bandwidth", "tdp", "link")


def rates(chip: Chip) -> tuple[Rate, ...]:
    """Return the chip's rates, the widest format first; () if none is known."""
    known, told = chip.dense_operations_per_second or {}, chip.accumulators or {}
    return tuple(
        Rate(
            key=key,
            dtype=shape[0],
            accumulator=told.get(key, shape[1]),
            unit=shape[2],
            operations_per_second=known[key],
        )
        for key, shape in _SHAPES.items()
        if key in known
    )


def best_rate(chip: Chip, dtype: str) -> int | None:
    """Return the rate to compare chips by: fp16 with fp32 accumulation preferred, matrix units before ordinary ones.

    dtype may also be the key of a single figure ("fp16_tensor_acc16"). None if unknown.
    """
    known = chip.dense_operations_per_second or {}
    if dtype in ("fp64", "fp32"):
        found = [known[key] for key in _PREFERRED[dtype] if key in known]
        return max(found) if found else None
    return next((known[key] for key in _PREFERRED.get(dtype, (dtype,)) if key in known), None)


def is_measure(name: str) -> bool:
    """Return whether `measure` knows the name: a format, "memory", "bandwidth", "tdp", "link", or a quotient of two
    with "/".
    """
    parts = name.lower().replace("/w", "/tdp") if name.lower().endswith("/w") else name.lower()
    return all(part in (*DTYPES, *_SHAPES, *_OTHERS, "watt", "watts") for part in parts.split("/")[:2])


def measure(chip: Chip, name: str) -> float | None:
    """Return a measure of the chip in operations/s, bytes, bytes/s or watts, or a quotient of two; None if unknown.

    >>> measure(Chip(name="A", vendor="x", architecture="y", kind="gpu", tdp_watts=300.0), "tdp")
    300.0
    """
    first, _, second = name.lower().partition("/")
    above, below = _single(chip, first), _single(chip, second) if second else 1.0
    return above / below if above is not None and below else None


def _single(chip: Chip, name: str) -> float | None:
    if name in ("tdp", "watt", "watts", "w"):
        return chip.tdp_watts
    if name == "memory":
        return chip.memory_bytes
    if name == "bandwidth":
        return chip.memory_bandwidth_bytes_per_second
    if name == "link":
        return chip.link_bytes_per_second
    return best_rate(chip, name)


def by_speed(chip: Chip) -> tuple[float, float]:
    """Sort key that orders chips by their 16-bit rate, then by memory, both descending."""
    rate = best_rate(chip, "bf16") or best_rate(chip, "fp16") or best_rate(chip, "fp32") or 0
    return -float(rate), -float(chip.memory_bytes or 0)
