"""The first CPU in /proc/cpuinfo, in the format of each architecture.

x86      vendor_id : GenuineIntel      model name : Intel(R) Xeon(R) …     cpu cores : 32    flags : fpu … avx2 …
arm64    CPU implementer : 0x41        CPU part : 0xd0c                    Features : fp asimd … sve
ppc64    cpu : POWER9, altivec supported
s390x    vendor_id : IBM/S390          processor 0: version = FF, … machine = 8561      features : … vx vxe
riscv    isa : rv64imafdcv             uarch : sifive,u74-mc
loongarch  Model Name : Loongson-3A5000          Features : … lsx lasx
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_UNITS: Final = {  # the kernel's name: the common name
    "avx": "avx",
    "avx2": "avx2",
    "avx_vnni": "avx-vnni",
    "avx512f": "avx512f",
    "avx512_vnni": "avx512-vnni",
    "avx512_bf16": "avx512-bf16",
    "avx512_fp16": "avx512-fp16",
    "avx10": "avx10",
    "amx_tile": "amx-tile",
    "amx_bf16": "amx-bf16",
    "amx_int8": "amx-int8",
    "amx_fp16": "amx-fp16",
    "asimd": "neon",
    "neon": "neon",
    "sve": "sve",
    "sve2": "sve2",
    "sme": "sme",
    "bf16": "bf16",
    "i8mm": "i8mm",
    "altivec": "altivec",
    "vx": "vx",
    "vxe": "vxe",
    "vxe2": "vxe2",
    "lsx": "lsx",
    "lasx": "lasx",
}


class Processor(NamedTuple):
    """One CPU's description of itself. cores, siblings: of its socket; siblings counts threads."""

    vendor: str | None = None
    name: str | None = None
    architecture: str | None = None
    vector_units: tuple[str, ...] | None = None
    cores: int | None = None
    siblings: int | None = None


def processor(text: str, makers: Mapping[str, Any]) -> Processor:
    """Parse the start of /proc/cpuinfo. makers: specs/cpu/makers.yaml."""
    rows: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and value.strip():
            rows.setdefault(key.strip().lower(), value.strip())
    flags = rows.get("flags") or rows.get("features")
    words = flags.split() if flags is not None else None
    if "isa" in rows:
        words = ["rvv"] if _has_vector(rows["isa"]) else []
        units: tuple[str, ...] | None = tuple(words)
    elif words is None and "altivec" in rows.get("cpu", ""):
        units = ("altivec",)
    else:
        units = vector_units(words) if words is not None else None
    return Processor(
        vendor=_vendor(rows, makers),
        name=_name(rows, makers),
        architecture=_architecture(rows, words or []),
        vector_units=units,
        cores=_number(rows.get("cpu cores")),
        siblings=_number(rows.get("siblings")),
    )


def vector_units(flags: list[str]) -> tuple[str, ...]:
    """Return the vector and matrix units among the kernel's CPU flags, in a fixed order.

    >>> vector_units(["sse2", "amx_int8", "avx2", "avx"])
    ('avx', 'avx2', 'amx-int8')
    """
    have = set(flags)
    return tuple(dict.fromkeys(name for flag, name in _UNITS.items() if flag in have))


def maker(vendor_id: str | None, makers: Mapping[str, Any]) -> str | None:
    """Return the maker's display name; the ID itself if it is unknown."""
    if not vendor_id or vendor_id in ("-", "unknown"):
        return None
    known: str | None = makers.get("by_vendor_id", {}).get(vendor_id.strip())
    return known or vendor_id.strip()


def _vendor(rows: Mapping[str, str], makers: Mapping[str, Any]) -> str | None:
    found: str | None = makers.get("by_implementer", {}).get(rows.get("cpu implementer", "").lower())
    if found:
        return found
    if rows.get("cpu", "").startswith("POWER"):
        return "IBM"
    if rows.get("model name", "").startswith("Loongson"):
        return "Loongson"
    if "uarch" in rows:
        return {"sifive": "SiFive", "thead": "T-Head"}.get(rows["uarch"].split(",")[0])
    return maker(rows.get("vendor_id"), makers)


def _name(rows: Mapping[str, str], makers: Mapping[str, Any]) -> str | None:
    core = f"{rows.get('cpu implementer', '').lower()}:{rows.get('cpu part', '').lower()}"
    known: str | None = makers.get("arm_cores", {}).get(core)
    if rows.get("model name") or known:
        return tidy(rows.get("model name") or known or "")
    if rows.get("cpu", "").startswith("POWER"):
        return rows["cpu"].split(",")[0]
    machine = re.search(r"machine = (\w+)", rows.get("processor 0", ""))
    if machine:
        return f"IBM Z {machine[1]}"
    return rows.get("uarch")


def tidy(name: str) -> str | None:
    """Return a CPU's name with single spaces; None for placeholders of lscpu and hypervisors for "unknown".

    >>> tidy("Intel(R) Xeon(R) CPU   E5-2686 v4 @ 2.30GHz"), tidy("-")
    ('Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz', None)
    """
    text = " ".join(name.split())
    return None if text.lower() in ("", "-", "unknown", "n/a") else text


def _architecture(rows: Mapping[str, str], words: list[str]) -> str | None:
    if "isa" in rows:
        return "riscv64" if rows["isa"].startswith("rv64") else "riscv32"
    if "cpu implementer" in rows:
        return "aarch64" if "asimd" in words else "arm"
    if rows.get("cpu", "").startswith("POWER"):
        return None  # both byte orders look alike here
    if rows.get("vendor_id") == "IBM/S390":
        return "s390x"
    if rows.get("model name", "").startswith("Loongson"):
        return "loongarch64"
    if "flags" in rows:
        return "x86_64" if "lm" in words else "i686"
    return None


def _has_vector(isa: str) -> bool:
    """
    >>> _has_vector("rv64imafdcv_zicsr"), _has_vector("rv64imafdc_zve32x"), _has_vector("rv64imafdc")
    (True, True, False)
    """
    single, *long = isa.split("_")
    return "v" in single[4:] or any(name.startswith("zve") for name in long)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and int(text) > 0 else None
