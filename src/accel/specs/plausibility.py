"""Figures of one record that contradict each other or are infeasible: above all a sparse rate given as dense.

Source of the limits   JEDEC's memory standards, at the greatest width and speed built; PCI-SIG's dates of the
                       base specifications; the power of a slot and the largest connector, 75 + 600 W; the field of a
                       lithography machine, 26 × 33 mm
"""

import re
from collections.abc import Iterator
from typing import Any, Final

_SLACK: Final = 1.12  # figures are rounded, and vendors use different clocks
_SPARSE: Final = 1.8  # above this multiple of the expected value, it is the figure with structured sparsity
_WIDER: Final = (  # a rate, the one that it follows, and how many times that it is at most
    ("bf16", "fp16_tensor_acc32", 1.0),
    ("fp16_tensor_acc16", "fp16_tensor_acc32", 2.0),
    ("tf32", "fp16_tensor_acc32", 1.0),
)
_MEMORIES: Final = {  # type: the year of its first product, and the greatest bandwidth of one device, bytes/s
    "gddr5": (2008, 0.6e12),
    "gddr5x": (2016, 0.6e12),
    "gddr6": (2018, 1.2e12),
    "gddr6x": (2020, 1.2e12),
    "gddr7": (2024, 2.1e12),
    "lpddr4": (2014, 0.6e12),
    "lpddr4x": (2017, 0.6e12),
    "lpddr5": (2019, 1.2e12),
    "lpddr5x": (2021, 1.2e12),
    "hbm2": (2016, 2.5e12),
    "hbm2e": (2019, 3.8e12),
    "hbm3": (2022, 6.6e12),
    "hbm3e": (2023, 10e12),
    "hbm4": (2025, 30e12),
}
_PCIE_SINCE: Final = {3: 2010, 4: 2017, 5: 2019, 6: 2022, 7: 2025}
_IN_A_SLOT: Final = frozenset({"geforce", "workstation", "radeon", "arc"})
_SLOT_WATTS: Final = 675
_RETICLE_MM2: Final = 858
_WAFER_MM2: Final = 10_000  # dies as large as a wafer are stitched from many fields


def implausible(
    record: dict[str, Any], capability: dict[str, Any] | None, architecture: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) for each of a chip's figures that cannot be true.

    capability    the row of the chip's compute capability, with operations_per_multiprocessor_clock; None if unknown
    architecture  the record of its architecture; None if unknown
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
    if rates.get("fp64", 0) > _SLACK * rates.get("fp32", float("inf")):
        yield "dense_operations_per_second.fp64", f"expected at most fp32's {rates['fp32']}, got {rates['fp64']}"
    yield from _of_memory(record)
    yield from _of_board(record)
    yield from _of_dates(record, architecture)
    features = (architecture or {}).get("features")
    if record.get("mig_instances_max") and features and not any(feature.startswith("MIG") for feature in features):
        yield "mig_instances_max", f"expected 0 of an architecture without MIG, got {record['mig_instances_max']}"


def unread(record: dict[str, Any], sources: Any) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) for a record with more confidence than its sources: one from memory requires "low"."""
    told = sources if isinstance(sources, dict) else {}
    for key in record.get("sources") or ():
        source = told.get(key) or {}
        if source.get("level") == "recalled" and not source.get("tells") and record.get("confidence") != "low":
            yield "confidence", f"expected low, as {key} is from memory, got {record.get('confidence')!r}"


def _of_memory(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Check the bandwidth and the date against the memory type, if the record names one type."""
    kind = str(record.get("memory_type") or "").lower().removesuffix(" (shared)")
    if kind not in _MEMORIES:
        return
    since, most = _MEMORIES[kind]
    bandwidth, devices = record.get("memory_bandwidth_bytes_per_second"), record.get("devices_per_board") or 1
    if bandwidth and bandwidth > most * devices:
        yield (
            "memory_bandwidth_bytes_per_second",
            f"expected at most {most * devices:.4g} of {record['memory_type']}, got {bandwidth}",
        )
    year = _year(record.get("released"))
    if year is not None and year < since:
        yield "memory_type", f"expected a memory that was made in {year}, got {record['memory_type']}, of {since}"


def _of_board(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    watts, area, dies = record.get("tdp_watts"), record.get("die_area_mm2"), record.get("die_count") or 1
    if watts and watts > _SLOT_WATTS and record.get("segment") in _IN_A_SLOT:
        yield "tdp_watts", f"expected at most the {_SLOT_WATTS} W of a slot and its plug, got {watts}"
    if area and record.get("die_count") and _RETICLE_MM2 * dies < area < _WAFER_MM2:
        yield "die_area_mm2", f"expected at most {_RETICLE_MM2 * dies}, one reticle for each of {dies}, got {area}"
    generation, year = record.get("pcie_generation"), _year(record.get("released"))
    if year is not None and year < _PCIE_SINCE.get(generation or 0, 0):
        yield "pcie_generation", f"expected one that was specified in {year}, got {generation}"


def _of_dates(record: dict[str, Any], architecture: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Check that a product is not older than its architecture, as far as both dates are known."""
    mine, first = (str(r.get("released") or "") for r in (record, architecture or {}))
    if _year(mine) is not None and _year(first) is not None:
        told = min(len(re.match(r"\d{4}(-\d\d)?", text)[0]) for text in (mine, first))  # type: ignore[index]
        if mine[:told] < first[:told]:
            yield "released", f"expected {first} or later, when the architecture was released, got {mine}"


def _year(released: object) -> int | None:
    found = re.match(r"(\d{4})(?!\d)", released) if isinstance(released, str) else None
    return int(found[1]) if found else None


def _of_clock(record: dict[str, Any], rates: dict[str, int], per_clock: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Check each rate against multiprocessors × clock, as recorded, else as implied by the fp32 rate."""
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


def cut(table: "dict[str, Any]", key: str, count: int) -> "Iterator[str]":
    """Yield a sentence if a list does not have as many records as declared: the file was cut or changed."""
    have = len(table.get(key) or ())
    if have != count:
        yield f"{key}: expected {count} records, as holds says, got {have}: the file was cut or changed"
