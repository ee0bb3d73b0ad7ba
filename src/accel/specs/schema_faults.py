"""The schema of fault records: inference, findings, causes, errors that several causes share, codes."""

import re
from typing import Any, Final

from accel.specs.inference import CONDITIONS
from accel.specs.kinds import (
    ACTION,
    CONFIDENCE,
    FLAG,
    KIND_OF_STEP,
    LAYER,
    MAPPING,
    RECORDS,
    SEVERITY,
    VERSION,
    WORDS,
    Fields,
    Kind,
    list_of,
    one_of,
    text,
    whole,
)

INFERRED: Final[Fields] = {
    "name": text(r"[a-z0-9_.-]+", "a name in lower case"),
    "means": WORDS,
    "context": FLAG,
    "fallback": FLAG,
    "subject": FLAG,
    "backend": WORDS,
    "from": RECORDS,
    "codes": text(r"[a-z0-9_]+/[a-z0-9_]+", 'the name of a table of codes, like "acme/faults"'),
    "in_log": list_of(text(r"[^A-Z]{4,}", "words in lower case, of four letters and more")),
    "of_node": FLAG,
    "finding": MAPPING,
}
CONDITION_OF: Final[Kind] = ("what the observation holds", lambda v: isinstance(v, dict | list | str) and bool(v))
SENTENCES: Final[Kind] = ("a sentence, or a list of them", lambda v: WORDS[1](v) or list_of(WORDS)[1](v))
WAY: Final[Fields] = {
    "sentence": SENTENCES,
    "example": WORDS,
    "unless": list_of(WORDS),
    "values": MAPPING,
    "grade": one_of("measured", "printed", "said", "implied"),
    **dict.fromkeys(CONDITIONS, CONDITION_OF),
}
PROPERTIES: Final = (  # of a machine or a text, each with its "@": accel.facts.properties says how they are known
    *("live", "linux", "windows", "macos", "system-known", "wsl", "containerized", "container", "kubernetes"),
    "no-container",
    *("image-build", "secure-boot", "variables-known", "devices-listed", "driver-known", "cuda-build", "cpu-build"),
    *("torch-seen", "holder-listed", "env-conda", "env-plain", "by-pip", "by-conda", "by-pixi", "by-uv", "by-poetry"),
    "nodes",
)
_NAME: Final = r"[a-z0-9_-]+"
_SUBJECTS: Final = (
    *("accelerators", "clear", "environment", "error", "fact", "framework", "host", "layer", "library", "line"),
    *("package", "source", "toolkit", "use", "variable", "wiring"),
)
_PATH: Final = (  # accel.facts.query says what each means
    rf"run\.(program|installation|build)|({'|'.join(_SUBJECTS)})\.\S[^=?]*(\?\w+=\w+)?|[a-z]+\.(driver|devices)(\.\w+)?|accelerators"
)
_TERM: Final = re.compile(
    rf"(not )?(@({'|'.join(PROPERTIES)})|({_PATH})(=\S+( \S+)?|<\d[\d.]*)?|{_NAME}( \| {_NAME})*)"
)
_SIDE: Final = re.compile(_PATH)
_RELATIONS: Final = ("unlike", "older", "newer")  # accel.facts.readings


def _is_term(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    words = value.removeprefix("not ").split(" ")
    if len(words) == 3 and words[1] in _RELATIONS:
        return all(_SIDE.fullmatch(path) for side in (words[0], words[2]) for path in side.split("|"))
    return _TERM.fullmatch(value) is not None


TERM: Final[Kind] = (
    'a query like "driver-oops", "nvidia.devices.name" or "@wsl"',
    _is_term,
)
NEED: Final[Kind] = text(_PATH, 'what must be known, like "run.program" or "nvidia.devices.name"')
PATH: Final[Kind] = text(_PATH, 'a path like "package.torch"')


def _is_query(value: Any) -> bool:
    return TERM[1](value) or (isinstance(value, list) and bool(value) and all(map(_is_query, value)))


QUERY: Final[Kind] = ('queries like ["driver-oops", "not @wsl", ["a | b", "nvidia.devices"]]', _is_query)
SAYING: Final[Fields] = {  # what a row of a table of checks says, and when: accel.checks.rows
    "when": QUERY,
    "of": list_of(WORDS),
    "having": MAPPING,
    "lacking": MAPPING,
    "devices": MAPPING,
    "variables": MAPPING,
    "devices_of": WORDS,
    "packages": list_of(WORDS),
    "each": WORDS,
    "values": MAPPING,
    "title": SENTENCES,
    "several": SENTENCES,
    **dict.fromkeys(("known_fault", "left_on"), WORDS),
    "released": FLAG,
    "detail": WORDS,
    "severity": SEVERITY,
    "evidence": MAPPING,
    "most": whole(1, 20, "a number of lines"),
    "fixes": RECORDS,
}
FINDING: Final[Fields] = {
    **SAYING,
    "code": text(r"[A-Z]{2,5}\d{3}", 'a code like "AX001", with letters that no other plugin uses'),
    "layer": LAYER,
    "family": WORDS,
    **dict.fromkeys(("needs", "asks"), list_of(NEED)),
    "reads": list_of(WORDS),
    "requires": list_of(WORDS),
    "explained_by": list_of(WORDS),
    "explains": list_of(WORDS),
    "precludes": list_of(WORDS),
    "last_resort": FLAG,
    "applies": RECORDS,
    "problems": RECORDS,
    "every": FLAG,
    "why": WORDS,
    "do": WORDS,
    "looks_at": WORDS,
    "silent": WORDS,
    "source": WORDS,
}
ROW: Final[Fields] = {"name": INFERRED["name"], "means": WORDS, "codes": INFERRED["codes"], **FINDING}
APPLIES: Final[Fields] = {"when": QUERY, "otherwise": WORDS}
FIX: Final[Fields] = {
    "text": WORDS,
    "command": WORDS,
    "action": ACTION,
    "kind": KIND_OF_STEP,
    "only": QUERY,
    "when": QUERY,
    "where": WORDS,
    "having": MAPPING,
    "lacking": MAPPING,
}
STEP: Final[Fields] = {**FIX, "install": WORDS, "maker": WORDS}
CONDITIONS_ANY: Final[Kind] = (
    'queries of which any one is enough, like ["@windows", ["@system-known", "not @container"]]',
    lambda value: isinstance(value, list) and bool(value) and all(map(_is_query, value)),
)
CAUSES_OF: Final[Fields] = {
    "name": WORDS,
    "over": MAPPING,
    "causes": RECORDS,
    "for": CONDITIONS_ANY,
    "against": CONDITIONS_ANY,
    "sources": list_of(WORDS),
}
CAUSE: Final[Fields] = {"cause": WORDS, "decides": WORDS, "look": WORDS, "cure": WORDS}
AMBIGUOUS: Final[Fields] = {
    "name": WORDS,
    "says": WORDS,
    "seen": list_of(TERM),
    "settled": CONDITIONS_ANY,
    "alone": FLAG,
    "general": FLAG,
    "when": QUERY,
    "causes": RECORDS,
    "sources": list_of(WORDS),
}
POSSIBLE: Final[Fields] = {
    "finding": WORDS,
    "cause": WORDS,
    "decides": WORDS,
    "look": WORDS,
    "for": CONDITIONS_ANY,
    "against": CONDITIONS_ANY,
    "fixes": RECORDS,
}
VERIFICATION: Final[Fields] = {"text": WORDS, "command": WORDS}
FAULT_CODE: Final[Fields] = {
    "code": ("a whole number or text", lambda v: type(v) in (int, str)),
    "names": list_of(WORDS),
    "meaning": WORDS,
    "cause": WORDS,
    "by": WORDS,
    "class": ACTION,
    "kind": KIND_OF_STEP,
    "severity": SEVERITY,
    "action": WORDS,
    "states": WORDS,
    "source": WORDS,
    "sources": list_of(WORDS),
}
ERROR: Final[Fields] = {
    "code": WORDS,
    "meaning": WORDS,
    "names": list_of(WORDS),
    "says": list_of(WORDS),
    "unless": list_of(WORDS),
    "layer": LAYER,
    "alone": FLAG,
    "cure": WORDS,
    "vague": FLAG,
}
FAULT_LEVEL: Final[Fields] = {
    "level": WORDS,
    "means": WORDS,
    "cure": WORDS,
    "codes": list_of(
        text(r"[0-9A-F]{8}(-[0-9A-F]{8})?( [0-9A-F]{8}(-[0-9A-F]{8})?)*", "codes of eight digits, or ranges of them")
    ),
}
FAULT_UNITS: Final[Fields] = {
    "layer": LAYER,
    "names": list_of(text(r"[0-9A-F]{2,3} .+", 'a number and a name, like "70 HBM"')),
}
FAULT_MONITOR: Final[Fields] = {
    "number": text(r"[0-9A-F]{1,2}", "a number in hexadecimal"),
    "watches": WORDS,
    "prefixed": FLAG,
    "events": (
        'what each number means, in their order; "" where none is known',
        lambda v: isinstance(v, list) and all(isinstance(one, str) for one in v),
    ),
}
VERSION_RANGES: Final[Kind] = list_of(text(r"(==|[<>]=?)[\d.]+(,(==|[<>]=?)[\d.]+)*", 'bounds like ">=2.7,<2.8.4"'))
FAULTY_PRODUCT: Final[Fields] = {
    "name": text(r"[a-z0-9-]+", "a name in lower case"),
    "title": WORDS,
    "layer": one_of("driver", "framework"),
    "read_from": list_of(PATH),
    "also": list_of(text(r"[^A-Z]+", "a name in lower case")),
    "resolves": FLAG,
}
KNOWN_FAULT: Final[Fields] = {
    "id": text(r"[a-z0-9.-]+", "a name in lower case"),
    "product": WORDS,
    "versions": VERSION_RANGES,
    "when": QUERY,
    "with": MAPPING,
    "fault": WORDS,
    "alone": FLAG,
    "states": one_of("kernel-newer-than-driver"),
    "shows": list_of(TERM),
    "decisive": FLAG,
    "fixed": VERSION,
    "fixed_by": WORDS,
    "fixes": RECORDS,
    "sources": list_of(WORDS),
    "confidence": CONFIDENCE,
}
