"""Figures of one record that contradict each other: above all a sparse rate given as a dense one."""

from collections.abc import Iterator
from typing import Any, Final

_SLACK: Final = 1.12  # figures are rounded, and makers count with clocks of their own
_SPARSE: Final = 1.8  # so many times what was expected, and it is the figure with structured sparsity
_WIDER: Final = (  # a rate, the one that it follows, and how many times that it is at most
    ("bf16", "fp16_tensor_acc32", 1.0),
    ("fp16_tensor_acc16", "fp16_tensor_acc32", 2.0),
    ("tf32", "fp16_tensor_acc32", 1.0),
)


def implausible(record: dict[str, Any], capability: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) of a chip's figures that cannot be true.

    capability   the row of the chip's compute capability, with operations_per_multiprocessor_clock; None if unknown
    """
    rates = record.get("dense_operations_per_second") or {}
    per_clock = (capability or {}).get("operations_per_multiprocessor_clock") or {}
    too_fast = dict(_of_clock(record, rates, per_clock))
    yield from too_fast.items()
    for key, other, most in _WIDER:
        told = f"dense_operations_per_second.{key}" in too_fast
        if not told and key in rates and other in rates and rates[key] >= _SPARSE * most * rates[other]:
            yield (
                f"dense_operations_per_second.{key}",
                f"expected a dense rate of at most {most:g} × {other}, {rates[other]}, got {rates[key]}: "
                "is it the figure with structured sparsity?",
            )
    memory, bandwidth = record.get("memory_bytes"), record.get("memory_bandwidth_bytes_per_second")
    if memory and bandwidth and not 0.2 <= bandwidth / memory <= 10**6:
        yield "memory_bandwidth_bytes_per_second", f"expected bytes per second, got {bandwidth} for {memory} bytes"


def _of_clock(record: dict[str, Any], rates: dict[str, int], per_clock: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Hold each rate against multiprocessors × clock: as the record tells them, else as its fp32 rate implies them."""
    source = record.get("rates_from") or {}
    units, megahertz = source.get("multiprocessors"), source.get("boost_megahertz")
    if isinstance(units, int) and isinstance(megahertz, int | float):
        clocks, how = units * megahertz * 1e6, f"{units} multiprocessors × {megahertz:g} MHz"
    elif "fp32" in rates and "fp32" in per_clock:
        clocks = rates["fp32"] / per_clock["fp32"]
        how = f"{clocks:.4g} multiprocessor clocks a second, as fp32 has it"
    else:
        return
    for key, operations in per_clock.items():
        most = operations * clocks
        if key in rates and rates[key] > _SLACK * most:
            sparse = " It is the figure with structured sparsity." if rates[key] > _SPARSE * most else ""
            yield (
                f"dense_operations_per_second.{key}",
                f"expected at most {most:.4g}, {operations} operations × {how}, got {rates[key]}.{sparse}",
            )
