"""The schema of the records in specs/: their fields, the allowed values, and which are required."""

from typing import Final

from accel.specs.kinds import (
    BRANCH,
    CAPABILITY,
    CODE_OF,
    DATE,
    FLAG,
    MAPPING,
    PLATFORM,
    PYTHONS,
    RECORDS,
    REQUIREMENT,
    SOURCED,
    TARGET,
    URL,
    VERSION,
    VERSIONS_BY,
    WORDS,
    Fields,
    Kind,
    list_of,
    one_of,
    text,
    whole,
)
from accel.specs.schema_chips import ARCHITECTURE, CAPABILITY_ROW, CHIP, FORMAT, FORMATS_OF
from accel.specs.schema_faults import (
    AMBIGUOUS,
    CAUSES_OF,
    ERROR,
    FAULT_CODE,
    FAULT_LEVEL,
    FAULT_MONITOR,
    FAULT_UNITS,
    FAULTY_PRODUCT,
    INFERRED,
    KNOWN_FAULT,
    ROW,
)
from accel.specs.schema_models import TABLES_OF_MODELS
from accel.specs.schema_named import BOARD, COMPUTER, OUTLINE, PART_NUMBER, PROFILES, SIZE, SLICE, SUBSYSTEM

NAMES: Final[Fields] = {"names": list_of(WORDS), "compute_capability": CAPABILITY, "compute_target": TARGET, **SOURCED}
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
    "major": whole(1, 99, "a major version, 1 to 99"),
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
    **dict.fromkeys(("wheel_tags", "toolkits", "stacks", "defaults", "cudnn", "nccl", "companions"), VERSIONS_BY),
    "variants": PYTHONS,
    "builds": ("a list of builds", lambda v: isinstance(v, list) and all(isinstance(x, dict) for x in v)),
    "cuda_runtime": VERSION,
    "cuda_toolkit": VERSION,
    "jaxlib": VERSION,
    "jaxlib_minimum": VERSION,
    "current_jaxlib_on_index": FLAG,
    "numpy": list_of(WORDS),
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
    "cudnn_builds": list_of(VERSION),
    "nccl_version": VERSION,
    "driver_floor": VERSION,
    "compiler": WORDS,
    "sass": list_of(CAPABILITY),
    "ptx": list_of(CAPABILITY),
    "requires": VERSIONS_BY,
    "note": WORDS,
}
CODE: Final[Fields] = {
    "versions": list_of(VERSION),
    "first": VERSION,
    "last": VERSION,
    "variants": list_of(WORDS),
    "platform": PLATFORM,
    "platforms": list_of(PLATFORM),
    "sass": list_of(CODE_OF),
    "ptx": list_of(CAPABILITY),
    "targets": list_of(TARGET),
    **SOURCED,
}
PACKAGE: Final[Fields] = {
    "name": WORDS,
    "version": VERSION,
    "requires": VERSIONS_BY,
    "torch_releases": list_of(VERSION),
    "stable_abi": FLAG,
    "rule": WORDS,
    "linux_tag": WORDS,
    "capability_minimum": CAPABILITY,
    "capability_minimum_arm": CAPABILITY,
    "platforms": list_of(PLATFORM),
    "systems": list_of(WORDS),
    "variants": list_of(WORDS),
    "other": WORDS,
    "extras": WORDS,
    **SOURCED,
}
RELEASE_PROJECT: Final[Fields] = {
    "package": WORDS,
    "project": text(r"[\w.-]+/[\w.-]+", 'a project as its owner and name, "vllm-project/vllm"'),
    "compared": text(r"\d{4}-\d\d-\d\d", 'the day of the comparison, like "2026-11-29"'),
    "label": ("text", lambda v: isinstance(v, str)),
    "index": text(r"https://\S+", "an address that begins with https://"),
    "index_from": VERSION,
    "file": text(r"https://\S+\.whl", "the address of a wheel"),
    **SOURCED,
}
RELEASE_WHEEL: Final[Fields] = {"package": WORDS, "version": VERSION, "variant": WORDS, "tags": VERSIONS_BY, **SOURCED}
CALLS: Final[Kind] = (
    "a list of lists of text",
    lambda v: isinstance(v, list) and all(list_of(WORDS)[1](words) for words in v),
)
READER_RULE: Final[Fields] = {
    "name": WORDS,
    "signs": list_of(WORDS),
    "rows": WORDS,
    "sections": WORDS,
    "columns": WORDS,
    "between": WORDS,
    "csv": FLAG,
    "json": ("a path of names", lambda v: isinstance(v, str)),
    "table": MAPPING,
    "only": WORDS,
    "ours": MAPPING,
    "needed": list_of(WORDS),
    "latest": FLAG,
    "gaps": FLAG,
    "facts": MAPPING,
    "driver": MAPPING,
    "trust": whole(1, 99, "a whole number from 1 to 99: higher wins over other sources"),
    "example": WORDS,
    "gives": RECORDS,
    **SOURCED,
}
TOOL_RULE: Final[Fields] = {
    "command": list_of(WORDS),
    "arguments": list_of(WORDS),
    "calls": CALLS,
    "more": CALLS,
    "memory": list_of(WORDS),
    "pci_ids": list_of(text(r"[0-9a-f]{4}(:[0-9a-f]{0,4})?", 'the begin of a PCI id like "1e36:", in lower case')),
    "no_boards": list_of(text(r"[0-9a-f]{1,4}", "the end of a PCI id")),
    **dict.fromkeys(("nodes", "shared_nodes", "held_nodes", "traces"), list_of(text(r"/.+", "a path"))),
    "modules": list_of(WORDS),
    "driver": WORDS,
    "own": list_of(one_of("board")),
    "fields": MAPPING,
    "masks": CALLS,
    "first_counts": FLAG,
    "runtimes": list_of(WORDS),
    "no_health": WORDS,
    **dict.fromkeys(("lspci", "matrix", "not_loaded"), ("a mapping", lambda v: isinstance(v, dict))),
    "mask": text(r"[A-Z][A-Z0-9_]*", "a variable's name"),
    "runtime": text(r"[a-z][a-z0-9_]*", 'what programs call a device, "acme" of "acme:0"'),
    "hint": WORDS,
    **SOURCED,
}

NAME_WORDS: Final[Fields] = {
    "role": one_of(
        *("brand", "silent", "series", "lettered", "front", "titled", "back", "form", "memory-type", "portable"),
        *("line", "alone", "partner", "telling", "software", "unit", "numbered", "host", "processor", "prose"),
        *("setting", "homonym", "edition", "introducing", "field", "ordinary", "machine-maker"),
        *("stranger", "other-thing", "suffix", "modified", "cooler", "code-front", "network", "module-only"),
    ),
    "before": WORDS,
    "words": list_of(text(r"[^\sA-Z]+", "a word in lower case")),
    **SOURCED,
}
NAME_SPELLING: Final[Fields] = {
    "place": one_of("before-number", "behind-number", "look-alike", "gigabytes", "digit"),
    "words": MAPPING,
    **SOURCED,
}
NAME_SHARE: Final[Fields] = {"says": WORDS, "words": list_of(WORDS), **SOURCED}
NAME_PHRASE: Final[Fields] = {"text": WORDS, "means": ('text, or ""', lambda v: isinstance(v, str)), **SOURCED}

CONDITION: Final[Kind] = ("a condition", lambda v: isinstance(v, dict) and len(v) > 0)
DAY_OR_MONTH: Final[Kind] = text(r"\d{4}-\d\d(-\d\d)?", 'a quoted day or month like "2026-06"')
EXPORT_RULE: Final[Fields] = {
    "name": text(r"[a-z0-9-]+", "a name in lower case"),
    "title": WORDS,
    "kind": one_of("letter", "regulation", "guidance", "proclamation"),
    "role": one_of("licence", "review", "reading", "duty"),
    "citation": WORDS,
    "published": DATE,
    "applies_from": DATE,
    "applies_until": DATE,
    "known_until": DAY_OR_MONTH,
    "scope": WORDS,
    "makers": list_of(WORDS),
    "of": CONDITION,
    "excluded": CONDITION,
    "excluded_means": WORDS,
    "classes": ("a list of classes", lambda v: isinstance(v, list) and all(isinstance(x, dict) for x in v)),
    "otherwise": WORDS,
    "changed": WORDS,
    "remark": WORDS,
    **SOURCED,
}
NOT_JUDGED: Final[Fields] = {
    "name": text(r"[A-Za-z0-9.-]+", "a name"),
    "kind": one_of("bill", "order", "guidance", "regulation", "draft"),
    "applies_from": DATE,
    "introduced": DATE,
    "known_until": DAY_OR_MONTH,
    "what": WORDS,
    **SOURCED,
}
TECHNICAL_LIMIT: Final[Fields] = {
    "name": text(r"[a-z0-9.-]+", "a name in lower case"),
    "when": CONDITION,
    "limit": WORDS,
    "so": WORDS,
    "effect": one_of("blocks", "slows", "licence", "misleads"),
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
            "number_formats": (FORMATS_OF, ("of", "sources", "confidence")),
        },
    ),
    (r"number_formats", {"formats": (FORMAT, ("name", "title"))}),
    (r"sources", {"titles": ({"url": URL, "title": WORDS}, ("url", "title"))}),
    (
        r"([^/]+/)?names",
        {
            "words": (NAME_WORDS, ("role", "words", "sources", "confidence")),
            "phrases": (NAME_PHRASE, ("text", "means", "sources", "confidence")),
            "spellings": (NAME_SPELLING, ("place", "words", "sources", "confidence")),
            "shares": (NAME_SHARE, ("says", "words", "sources", "confidence")),
        },
    ),
    (
        r"computers/.+",
        {
            "machines": (COMPUTER, ("names", "chips", "sources", "confidence")),
            "slices": (SLICE, ("prefixes", "chips", "cores", "sources", "confidence")),
        },
    ),
    (
        r"[^/]+/partitions",
        {
            "boards": (BOARD, ("prefixes", "chips", "sources", "confidence")),
            "mig": (PROFILES, ("profiles", "chips", "sources", "confidence")),
            "sizes": (SIZE, ("profiles", "chips", "multiprocessors", "memory_share", "sources", "confidence")),
        },
    ),
    (r"[^/]+/part_numbers", {"boards": (PART_NUMBER, ("numbers", "chips", "sources", "confidence"))}),
    (r"[^/]+/subsystems", {"boards": (SUBSYSTEM, ("pci_id", "subsystem", "chips", "sources", "confidence"))}),
    (r"[^/]+/outlines", {"outlines": (OUTLINE, ("architecture", "products", "sources", "confidence"))}),
    (r"[^/]+/compute_.+", {"compute_names": (NAMES, ("names", "sources", "confidence"))}),
    (
        r"nvidia/cuda",
        {
            "toolkits": (TOOLKIT, ("version", "sources", "confidence")),
            "floors": (FLOOR, ("major", "sources", "confidence")),
            "serves": (SERVES, ("branch", "toolkit", "sources", "confidence")),
        },
    ),
    (
        r"frameworks/release_wheels",
        {
            "projects": (RELEASE_PROJECT, ("package", "project", "label")),
            "wheels": (RELEASE_WHEEL, ("package", "version", "variant", "tags", "sources")),
        },
    ),
    (r"frameworks/companions", {"packages": (PACKAGE, ("name", "version", "sources", "confidence"))}),
    (
        r"frameworks/((torch|jax|tensorflow)(_[^/]+)?|(onnxruntime|cupy|ctranslate2|mindspore|paddlepaddle|tensorrt|llama)[a-z-]*)",
        {
            "releases": (RELEASE, ("version", "sources", "confidence")),
            "architectures": (CODE, ("variants", "sources", "confidence")),
        },
    ),
    (
        r"restrictions/export_control",
        {
            "rules": (
                EXPORT_RULE,
                ("name", "title", "role", "applies_from", "scope", "classes", "sources", "confidence"),
            ),
            "not_judged": (NOT_JUDGED, ("name", "kind", "what", "sources", "confidence")),
        },
    ),
    (
        r"restrictions/technical",
        {"limits": (TECHNICAL_LIMIT, ("name", "when", "limit", "so", "effect", "sources", "confidence"))},
    ),
    (r"[^/]+/readers/.+", {"readers": (READER_RULE, ("name", "signs", "facts", "example", "gives", "confidence"))}),
    (
        r"[^/]+/errors/.+",
        {
            "errors": (ERROR, ("code", "meaning")),
            "levels": (FAULT_LEVEL, ("level", "means", "cure", "codes")),
            "units": (FAULT_UNITS, ("layer", "names")),
            "monitors": (FAULT_MONITOR, ("number", "watches", "events")),
        },
    ),
    (
        r"[^/]+/(faults|s?xid|dcgm_fields|dcgm_results|dcgm_tests|recovery_actions)",
        {"codes": (FAULT_CODE, ("code", "meaning"))},
    ),
    (
        r"[^/]+/known_faults(_[^/]+)?",
        {
            "faults": (KNOWN_FAULT, ("id", "product", "versions", "fault", "sources", "confidence")),
            "products": (FAULTY_PRODUCT, ("name", "title", "layer", "read_from")),
        },
    ),
    *TABLES_OF_MODELS,
    (r"[^/]+/tools", {"tools": (TOOL_RULE, ("command", "confidence"))}),
    (r"[^/]+/causes/.+", {"findings": (CAUSES_OF, ("name", "over", "causes"))}),
    (r"[^/]+/ambiguous/.+", {"identities": (AMBIGUOUS, ("name", "says", "seen", "causes"))}),
    (r"[^/]+/checks/.+", {"checks": (ROW, ("code", "name", "layer", "means", "why", "looks_at"))}),
    (r"[^/]+/inference/.+", {"facts": (INFERRED, ("name", "means"))}),
)
# table name (as a pattern) -> what its head says, as text
HEADS: Final = (
    (r"[^/]+/errors/.+", ("domain", "title")),
    (r"[^/]+/chips/.+", ("vendor", "architecture")),
    (r"[^/]+/(readers/.+|tools)", ("backend", "vendor", "kind")),
    (r".+/names", ("vendor",)),
    (r"computers/.+", ("maker",)),
)
SOURCE: Final[Fields] = {
    "url": URL,
    "place": WORDS,
    "title": WORDS,
    "what": WORDS,
    "read": text(r"\d{4}-\d\d(-\d\d)?", 'the date read, like "2026-11"'),
    "level": WORDS,
    "note": WORDS,
    "tells": list_of(WORDS),
}
