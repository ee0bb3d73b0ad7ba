"""Memory errors in nvidia-smi's detailed formats: totals, and counts by kind of memory.

    text  ECC Errors/Volatile/DRAM Correctable         since Ampere: SRAM and DRAM
          ECC Errors/Volatile/Single Bit/L2 Cache      before it, with a total
    xml   ecc_errors/volatile/dram_correctable         likewise
    csv   ecc.errors.corrected.volatile.dram
A total is the tool's, else the sum of its parts if all are present.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from accel.text import amounts as a
from accel_nvidia import quantities as q
from accel_nvidia.model import EccCount

_KINDS: Final = ("corrected", "uncorrected")
_PERIODS: Final = ("volatile", "aggregate")
_OLD: Final = {  # before Ampere: memory, its names in text, XML and CSV
    "dram": ("Device Memory", "device_memory", "device_memory"),
    "l1": ("L1 Cache", "l1_cache", "l1_cache"),
    "l2": ("L2 Cache", "l2_cache", "l2_cache"),
    "registers": ("Register File", "register_file", "register_file"),
    "texture": ("Texture Memory", "texture_memory", "texture_memory"),
    "cbu": ("CBU", "cbu", "cbu"),
}


def ecc_facts(lookup: Mapping[str, str], style: str) -> dict[str, Any]:
    """Return NvidiaDevice's memory error fields. lookup: names in lower case."""
    found: dict[str, Any] = {}
    counts: dict[str, dict[str, int]] = {}
    for kind in _KINDS:
        for period in _PERIODS:
            parts = {memory: _count(lookup, names) for memory, names in _parts(kind, period, style).items()}
            for memory, count in parts.items():
                if count is not None:
                    counts.setdefault(memory, {})[f"{kind}_{period}"] = count
            total = _count(lookup, (_total(kind, period, style),))
            if total is None and parts.get("sram") is not None and parts.get("dram") is not None and style != "csv":
                total = (parts["sram"] or 0) + (parts["dram"] or 0)
            if total is not None:
                found[f"ecc_{kind}_{period}"] = total
    if counts:
        found["ecc_counts"] = tuple(EccCount(memory=memory, **known) for memory, known in counts.items())
    exceeded = q.flag(lookup.get(_THRESHOLD[style]))
    if exceeded is not None:
        found["sram_threshold_exceeded"] = exceeded
    return found


def ecc_names(style: str) -> frozenset[str]:
    """Return every name of a count in a format, in lower case."""
    parts = [
        name
        for kind in _KINDS
        for period in _PERIODS
        for names in (*_parts(kind, period, style).values(), (_total(kind, period, style),))
        for each in names
        for name in each.split(" + ")
    ]
    return frozenset((*parts, _THRESHOLD[style]))


_THRESHOLD: Final = {
    "text": "ecc errors/aggregate/sram threshold exceeded",
    "xml": "ecc_errors/aggregate/sram_threshold_exceeded",
    "csv": "ecc.errors.uncorrected.aggregate.sram.thresholdexceeded",
}


def _total(kind: str, period: str, style: str) -> str:
    bits = "single bit" if kind == "corrected" else "double bit"
    return {
        "text": f"ecc errors/{period}/{bits}/total",
        "xml": f"ecc_errors/{period}/{bits.replace(' ', '_')}/total",
        "csv": f"ecc.errors.{kind}.{period}.total",
    }[style]


def _parts(kind: str, period: str, style: str) -> dict[str, Sequence[str]]:
    """Return the names of each memory's count; names joined by " + " are added up, and the first one present counts."""
    word = "correctable" if kind == "corrected" else "uncorrectable"
    bits = "single bit" if kind == "corrected" else "double bit"
    if style == "csv":
        start = f"ecc.errors.{kind}.{period}"
        old: dict[str, Sequence[str]] = {memory: (f"{start}.{names[2]}",) for memory, names in _OLD.items()}
        return {"sram": (f"{start}.sram",), **old, "dram": (f"{start}.dram", *old["dram"])}
    start = f"ecc errors/{period}" if style == "text" else f"ecc_errors/{period}"
    gap = " " if style == "text" else "_"
    place = 0 if style == "text" else 1
    sram = f"{start}/sram{gap}{word}"
    secded = "sec-ded" if style == "text" else "secded"
    old = {memory: (f"{start}/{bits.replace(' ', gap)}/{names[place].lower()}",) for memory, names in _OLD.items()}
    return {
        "sram": (f"{sram}{gap}parity + {sram}{gap}{secded}", sram),
        **old,
        "dram": (f"{start}/dram{gap}{word}", *old["dram"]),
    }


def _count(lookup: Mapping[str, str], names: Sequence[str]) -> int | None:
    for name in names:
        values = [a.whole(lookup.get(part)) for part in name.split(" + ")]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            return sum(known)
    return None
