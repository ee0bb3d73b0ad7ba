"""What the records in specs/ look like: their fields, what each may hold, and which must be there."""

import re
from collections.abc import Callable
from typing import Any, Final

from accel.specs.inference import CONDITIONS
from accel.specs.rates import KEYS

Test = Callable[[Any], bool]
Kind = tuple[str, Test]  # what is expected, in words; whether a value is that
Fields = dict[str, Kind]


def _number(low: float, high: float, what: str) -> Kind:
    return what, lambda value: type(value) in (int, float) and low <= value <= high


def _whole(low: int, high: int, what: str) -> Kind:
    return what, lambda value: type(value) is int and low <= value <= high


def _text(pattern: str, what: str) -> Kind:
    shape = re.compile(pattern)
    return what, lambda value: isinstance(value, str) and bool(shape.fullmatch(value))


def _list(kind: Kind) -> Kind:
    return f"a list of {kind[0]}", lambda value: isinstance(value, list) and all(kind[1](item) for item in value)


def _one_of(*values: str) -> Kind:
    return "one of " + ", ".join(values), lambda value: value in values


WORDS: Final[Kind] = _text(r"(?s).+", "text")
FLAG: Final[Kind] = ("true or false", lambda value: isinstance(value, bool))
MAPPING: Final[Kind] = ("a mapping", lambda value: isinstance(value, dict))
RECORDS: Final[Kind] = _list(MAPPING)
SEVERITY: Final[Kind] = _one_of("info", "warning", "error")
LAYER: Final[Kind] = _one_of("hardware", "driver", "access", "toolkit", "framework", "application")
ACTION: Final[Kind] = _one_of("app", "env", "admin", "reset", "reboot", "service")
VERSION: Final[Kind] = _text(r"[\w.+!-]+( \(\w+\))?", 'a quoted version like "12.1"')
REQUIREMENT: Final[Kind] = _text(r"[<>=!~].+|[\d.x*]+", 'a quoted requirement like ">=3.9"')
CAPABILITY: Final[Kind] = _text(r"\d{1,2}\.\d", 'a quoted compute capability like "8.0"')
TARGET: Final[Kind] = _text(r"gfx[0-9a-f]{3,4}", 'a target like "gfx90a"')
PCI_ID: Final[Kind] = _text(r"[0-9a-f]{4}:[0-9a-f]{4}", 'a PCI id like "10de:2330", in lower case')
DATE: Final[Kind] = _text(r"\d{4}(-\d\d){0,2}|\d{4}-[QH]\d.*", 'a quoted date like "2024-07-24"')
BRANCH: Final[Kind] = _whole(100, 2000, "a driver branch like 535")
PLATFORM: Final[Kind] = _text(r"(linux|windows|macos)_(x86_64|aarch64|arm64)", 'a platform like "linux_x86_64"')
CONFIDENCE: Final[Kind] = _one_of("official", "derived", "community", "high", "medium", "low")
RATES: Final[Kind] = (
    f"whole operations per second, between 10^9 and 10^18, by format ({', '.join(KEYS)})",
    lambda v: (
        isinstance(v, dict) and all(key in KEYS and type(x) is int and 10**9 <= x <= 10**18 for key, x in v.items())
    ),
)
VERSIONS_BY: Final[Kind] = (
    "quoted versions by name",
    lambda v: isinstance(v, dict) and all(isinstance(x, str) for x in v.values()),
)
PYTHONS: Final[Kind] = (
    "lists of quoted Python versions by platform",
    lambda v: isinstance(v, dict) and all(_list(VERSION)[1](x) for x in v.values()),
)
SOURCED: Final[Fields] = {"sources": _list(WORDS), "confidence": CONFIDENCE, "note": WORDS}

CHIP: Final[Fields] = {
    "name": WORDS,
    "aliases": _list(WORDS),
    "families": _list(WORDS),
    "kind": _one_of("gpu", "npu", "tpu", "cpu", "accelerator"),
    "segment": _one_of("datacenter", "geforce", "workstation", "soc", "embedded", "radeon", "arc"),
    "marketed_for_datacenter": FLAG,
    "compute_capability": CAPABILITY,
    "compute_target": TARGET,
    "pci_ids": _list(PCI_ID),
    "devices_per_board": _whole(1, 16, "a count of devices, 1 to 16"),
    "memory_bytes": _whole(2**26, 2**43, "whole bytes, 64 MiB to 8 TiB"),
    "memory_type": WORDS,
    "memory_bandwidth_bytes_per_second": _whole(10**9, 10**15, "whole bytes per second, 1 GB/s to 1 PB/s"),
    "dense_operations_per_second": RATES,
    "accumulators": (
        "what products are summed in, by format",
        lambda v: isinstance(v, dict) and all(k in KEYS and x in ("fp16", "fp32", "int32") for k, x in v.items()),
    ),
    "structured_sparsity": FLAG,
    "tdp_watts": _number(1, 5000, "watts, 1 to 5000"),
    "slowdown_celsius": _number(40, 130, "degrees Celsius, 40 to 130"),
    "nvswitch": FLAG,
    "link_type": WORDS,
    "link_bytes_per_second": _whole(10**8, 10**14, "whole bytes per second, 0.1 GB/s to 100 TB/s"),
    "pcie_generation": _whole(1, 8, "a PCIe generation, 1 to 8"),
    "pcie_lanes": _whole(1, 32, "a count of lanes, 1 to 32"),
    "die_name": WORDS,
    "die_area_mm2": _number(10, 50000, "square millimetres, 10 to 50000"),
    "die_count": _whole(1, 64, "a count of dies, 1 to 64"),
    "die_process": WORDS,
    "die_non_planar": FLAG,
    "mig_instances_max": _whole(0, 64, "a count of partitions, 0 to 64"),
    "released": WORDS,
    "rates_from": MAPPING,
    "agrees_with": MAPPING,
    **SOURCED,
}
ARCHITECTURE: Final[Fields] = {
    "name": _text(r"[a-z0-9_.]+", "a name in lower case"),
    "title": WORDS,
    "aliases": _list(WORDS),
    "core": WORDS,
    "compute_capabilities": _list(CAPABILITY),
    "compute_targets": _list(TARGET),
    "released": WORDS,
    "processes": _list(WORDS),
    "vector_dtypes": _list(WORDS),
    "matrix_dtypes": _list(WORDS),
    "dtype_notes": _list(WORDS),
    "link": WORDS,
    "features": _list(WORDS),
    "first_toolkit": VERSION,
    "last_toolkit": VERSION,
    "last_driver_branch": BRANCH,
    "hbm": FLAG,
    "tensorcores_per_chip": _whole(1, 16, "a count, 1 to 16"),
    "megacore": FLAG,
    "sparsecore": FLAG,
    "sparsity": WORDS,
    "gpu_family": WORDS,
    **SOURCED,
}
CAPABILITY_ROW: Final[Fields] = {
    "compute_capability": CAPABILITY,
    "architecture": WORDS,
    "kind": _one_of("discrete", "integrated"),
    "first_toolkit": VERSION,
    "last_toolkit": VERSION,
    "first_driver_branch": BRANCH,
    "last_driver_branch": BRANCH,
    "examples": WORDS,
    "operations_per_multiprocessor_clock": (
        "whole dense operations by rate",
        lambda v: isinstance(v, dict) and all(type(x) is int and 1 <= x <= 2**20 for x in v.values()),
    ),
    **SOURCED,
}
NAMES: Final[Fields] = {"names": _list(WORDS), "compute_capability": CAPABILITY, "compute_target": TARGET, **SOURCED}
TOOLKIT: Final[Fields] = {
    "version": VERSION,
    "label": WORDS,
    "month": DATE,
    "driver_minimum": VERSION,
    "driver_minimum_windows": VERSION,
    "driver_branch": BRANCH,
    **SOURCED,
}
FLOOR: Final[Fields] = {
    "major": _whole(1, 99, "a major version, 1 to 99"),
    "driver_floor": VERSION,
    "driver_floor_windows": VERSION,
    "published_driver_range": WORDS,
    "first_driver_of_branch_with_toolkit": VERSION,
    **SOURCED,
}
SERVES: Final[Fields] = {"branch": BRANCH, "toolkit": VERSION, **SOURCED}
RELEASE: Final[Fields] = {
    "version": VERSION,
    "label": WORDS,
    "date": DATE,
    "requires_python": REQUIREMENT,
    "pythons": PYTHONS,
    "wheel_tags": VERSIONS_BY,
    "defaults": VERSIONS_BY,
    "variants": PYTHONS,
    "builds": ("a list of builds", lambda v: isinstance(v, list) and all(isinstance(x, dict) for x in v)),
    "cuda_runtime": VERSION,
    "cuda_toolkit": VERSION,
    "cudnn": VERSIONS_BY,
    "nccl": VERSIONS_BY,
    "companions": VERSIONS_BY,
    "jaxlib": VERSION,
    "jaxlib_minimum": VERSION,
    "current_jaxlib_on_index": FLAG,
    "numpy": _list(WORDS),
    "libtpu": VERSIONS_BY,
    **SOURCED,
}
BUILD: Final[Fields] = {
    "variant": WORDS,
    "platform": PLATFORM,
    "default": FLAG,
    "package": WORDS,
    "distribution": WORDS,
    "toolkit_version": VERSION,
    "cudnn_version": VERSION,
    "cudnn_builds": _list(VERSION),
    "nccl_version": VERSION,
    "driver_floor": VERSION,
    "compiler": WORDS,
    "sass": _list(CAPABILITY),
    "ptx": _list(CAPABILITY),
    "requires": VERSIONS_BY,
    "note": WORDS,
}
CODE: Final[Fields] = {
    "versions": _list(VERSION),
    "variants": _list(WORDS),
    "platform": PLATFORM,
    "sass": _list(CAPABILITY),
    "ptx": _list(CAPABILITY),
    "targets": _list(TARGET),
    **SOURCED,
}
PACKAGE: Final[Fields] = {
    "name": WORDS,
    "version": VERSION,
    "requires": VERSIONS_BY,
    "torch_releases": _list(VERSION),
    "rule": WORDS,
    "linux_tag": WORDS,
    "other": WORDS,
    "extras": WORDS,
    **SOURCED,
}
INFERRED: Final[Fields] = {
    "name": _text(r"[a-z0-9_.-]+", "a name in lower case"),
    "means": WORDS,
    "backend": WORDS,
    "from": RECORDS,
    "codes": _text(r"[a-z0-9_]+/[a-z0-9_]+", 'the name of a table of codes, like "acme/faults"'),
    "finding": MAPPING,
}
CONDITION_OF: Final[Kind] = ("what the observation holds", lambda v: isinstance(v, dict | list | str) and bool(v))
SENTENCES: Final[Kind] = ("a sentence, or a list of them", lambda v: WORDS[1](v) or _list(WORDS)[1](v))
WAY: Final[Fields] = {
    "sentence": SENTENCES,
    "example": WORDS,
    "unless": _list(WORDS),
    "values": MAPPING,
    "grade": _one_of("measured", "printed", "said", "implied"),
    **dict.fromkeys(CONDITIONS, CONDITION_OF),
}
FINDING: Final[Fields] = {
    "code": _text(r"[A-Z]{2,5}\d{3}", 'a code like "AX001", with letters that no other plugin uses'),
    "severity": SEVERITY,
    "layer": LAYER,
    "family": WORDS,
    "requires": _list(WORDS),
    "explained_by": _list(WORDS),
    "title": WORDS,
    "silent": WORDS,
    "why": WORDS,
    "fixes": RECORDS,
}
FIX: Final[Fields] = {"text": WORDS, "command": WORDS, "action": ACTION}
CAUSES_OF: Final[Fields] = {"name": WORDS, "over": MAPPING, "causes": RECORDS, "sources": _list(WORDS)}
CAUSE: Final[Fields] = {"cause": WORDS, "decides": WORDS, "look": WORDS, "cure": WORDS}
OVER: Final[Fields] = {"text": WORDS, "command": WORDS}
FAULT_CODE: Final[Fields] = {
    "code": ("a whole number or text", lambda v: type(v) in (int, str)),
    "meaning": WORDS,
    "cause": WORDS,
    "by": WORDS,
    "class": ACTION,
    "severity": SEVERITY,
    "action": WORDS,
    "source": WORDS,
    "sources": _list(WORDS),
}
READER_RULE: Final[Fields] = {
    "name": WORDS,
    "signs": _list(WORDS),
    "rows": WORDS,
    "sections": WORDS,
    "csv": FLAG,
    "json": ("a path of names", lambda v: isinstance(v, str)),
    "facts": MAPPING,
    "driver": MAPPING,
    "trust": _whole(1, 99, "a whole number from 1 to 99: higher wins over other sources"),
    "example": WORDS,
    "gives": RECORDS,
    **SOURCED,
}
TOOL_RULE: Final[Fields] = {
    "command": _list(WORDS),
    "arguments": _list(WORDS),
    "more": ("a list of lists of text", lambda v: isinstance(v, list) and all(_list(WORDS)[1](words) for words in v)),
    "pci_ids": _list(_text(r"[0-9a-f]{4}(:[0-9a-f]{0,4})?", 'the begin of a PCI id like "1e36:", in lower case')),
    "nodes": _list(_text(r"/.+", "a path")),
    "mask": _text(r"[A-Z][A-Z0-9_]*", "a variable's name"),
    "runtime": _text(r"[a-z][a-z0-9_]*", 'what programs call a device, "acme" of "acme:0"'),
    "hint": WORDS,
    **SOURCED,
}

NAME_WORDS: Final[Fields] = {
    "role": _one_of(
        *("brand", "silent", "series", "lettered", "front", "titled", "back", "form", "memory-type", "portable"),
        *("alone", "partner"),
    ),
    "before": WORDS,
    "words": _list(_text(r"[^\sA-Z]+", "a word in lower case")),
    **SOURCED,
}
NAME_PHRASE: Final[Fields] = {"text": WORDS, "means": ('text, or ""', lambda v: isinstance(v, str)), **SOURCED}

CONDITION: Final[Kind] = ("a condition", lambda v: isinstance(v, dict) and len(v) > 0)
EXPORT_RULE: Final[Fields] = {
    "name": _text(r"[a-z0-9-]+", "a name in lower case"),
    "title": WORDS,
    "kind": _one_of("letter", "regulation", "guidance", "proclamation"),
    "role": _one_of("licence", "review", "reading", "duty"),
    "citation": WORDS,
    "published": DATE,
    "applies_from": DATE,
    "applies_until": DATE,
    "scope": WORDS,
    "makers": _list(WORDS),
    "of": CONDITION,
    "excluded": CONDITION,
    "excluded_means": WORDS,
    "classes": ("a list of classes", lambda v: isinstance(v, list) and all(isinstance(x, dict) for x in v)),
    "otherwise": WORDS,
    "changed": WORDS,
    "remark": WORDS,
    **SOURCED,
}
TECHNICAL_LIMIT: Final[Fields] = {
    "name": _text(r"[a-z0-9.-]+", "a name in lower case"),
    "when": CONDITION,
    "limit": WORDS,
    "so": WORDS,
    "effect": _one_of("blocks", "slows", "licence", "misleads"),
    **SOURCED,
}

# table name (as a pattern) -> list in it -> (fields of its records, those that must be there)
TABLES: Final[tuple[tuple[str, dict[str, tuple[Fields, tuple[str, ...]]]], ...]] = (
    (r"[^/]+/chips/.+", {"chips": (CHIP, ("name", "kind", "sources", "confidence"))}),
    (
        r"[^/]+/architectures",
        {
            "architectures": (ARCHITECTURE, ("name", "sources", "confidence")),
            "compute_capabilities": (CAPABILITY_ROW, ("compute_capability", "architecture", "sources", "confidence")),
        },
    ),
    (
        r"([^/]+/)?names",
        {
            "words": (NAME_WORDS, ("role", "words", "sources", "confidence")),
            "phrases": (NAME_PHRASE, ("text", "means", "sources", "confidence")),
        },
    ),
    (r"[^/]+/compute_.+", {"compute_names": (NAMES, ("names", "sources", "confidence"))}),
    (
        r"nvidia/cuda",
        {
            "toolkits": (TOOLKIT, ("version", "sources", "confidence")),
            "floors": (FLOOR, ("major", "sources", "confidence")),
            "serves": (SERVES, ("branch", "toolkit", "sources", "confidence")),
        },
    ),
    (r"frameworks/companions", {"packages": (PACKAGE, ("name", "version", "sources", "confidence"))}),
    (
        r"frameworks/(torch|jax|tensorflow)(_[^/]+)?",
        {
            "releases": (RELEASE, ("version", "sources", "confidence")),
            "architectures": (CODE, ("versions", "variants", "platform", "sources", "confidence")),
        },
    ),
    (
        r"restrictions/export_control",
        {
            "rules": (
                EXPORT_RULE,
                ("name", "title", "role", "applies_from", "scope", "classes", "sources", "confidence"),
            )
        },
    ),
    (
        r"restrictions/technical",
        {"limits": (TECHNICAL_LIMIT, ("name", "when", "limit", "so", "effect", "sources", "confidence"))},
    ),
    (r"[^/]+/readers/.+", {"readers": (READER_RULE, ("name", "signs", "facts", "example", "gives", "confidence"))}),
    (r"[^/]+/(faults|xid)", {"codes": (FAULT_CODE, ("code", "meaning"))}),
    (r"[^/]+/tools", {"tools": (TOOL_RULE, ("command", "confidence"))}),
    (r"[^/]+/causes/.+", {"findings": (CAUSES_OF, ("name", "over", "causes"))}),
    (r"[^/]+/inference/.+", {"facts": (INFERRED, ("name", "means"))}),
)
# table name (as a pattern) -> what its head says, as text
HEADS: Final = (
    (r"[^/]+/chips/.+", ("vendor", "architecture")),
    (r"[^/]+/(readers/.+|tools)", ("backend", "vendor", "kind")),
    (r".+/names", ("vendor",)),
)
SOURCE: Final[Fields] = {
    "url": _text(r"https?://\S+", "an address that begins with https://"),
    "place": WORDS,
    "what": WORDS,
    "read": _text(r"\d{4}-\d\d(-\d\d)?", 'the date read, like "2026-11"'),
    "level": WORDS,
    "note": WORDS,
}
