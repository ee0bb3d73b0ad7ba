"""What the records of faults look like: what is inferred, findings, causes, errors that several causes share, codes."""

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
    "backend": WORDS,
    "from": RECORDS,
    "codes": text(r"[a-z0-9_]+/[a-z0-9_]+", 'the name of a table of codes, like "acme/faults"'),
    "in_log": list_of(text(r"[^A-Z]{4,}", "words in lower case, of four letters and more")),
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
NEED: Final[Kind] = text(  # accel.facts.needs says what each means
    r"accelerators|run\.(program|installation|build)|(framework|package|host|environment|source|use|fact|wiring)\.\S.*"
    r"|[a-z]+\.(driver|devices)(\.\w+)?",
    'what must be known, like "run.program" or "nvidia.devices.name"',
)
PROPERTIES: Final = (  # of a machine or a text, each with its "@": accel.checks.row_conditions says how they are known
    *("live", "linux", "windows", "macos", "system-known", "wsl", "containerized", "container", "kubernetes"),
    *("image-build", "secure-boot", "variables-known"),
)
_NAME: Final = r"[a-z0-9_.-]+"
_ASKED: Final = re.compile(
    rf"(not )?(@({'|'.join(PROPERTIES)})|(devices|driver|package|variable):\S+|{_NAME}( \| {_NAME})*)"
)


def _is_condition(value: Any) -> bool:
    if isinstance(value, str):
        return _ASKED.fullmatch(value) is not None
    return isinstance(value, list) and bool(value) and all(map(_is_condition, value))


CONDITION: Final[Kind] = ('conditions like ["driver-oops", "not @wsl", ["a | b", "devices:nvidia"]]', _is_condition)
SAYING: Final[Fields] = {  # what a row of a table of checks says, and when: accel.checks.rows
    "when": CONDITION,
    "of": list_of(WORDS),
    "having": MAPPING,
    "lacking": MAPPING,
    "devices": MAPPING,
    "each": WORDS,
    "title": SENTENCES,
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
    "needs": list_of(NEED),
    "reads": list_of(WORDS),
    "requires": list_of(WORDS),
    "explained_by": list_of(WORDS),
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
APPLIES: Final[Fields] = {"when": CONDITION, "otherwise": WORDS}
FIX: Final[Fields] = {
    "text": WORDS,
    "command": WORDS,
    "action": ACTION,
    "kind": KIND_OF_STEP,
    "only": list_of(WORDS),
    "when": CONDITION,
    "where": WORDS,
    "without": list_of(WORDS),
}
CAUSES_OF: Final[Fields] = {"name": WORDS, "over": MAPPING, "causes": RECORDS, "sources": list_of(WORDS)}
CAUSE: Final[Fields] = {"cause": WORDS, "decides": WORDS, "look": WORDS, "cure": WORDS}
AMBIGUOUS: Final[Fields] = {
    "name": WORDS,
    "says": WORDS,
    "seen": list_of(WORDS),
    "settled": list_of(WORDS),
    "alone": FLAG,
    "needs": list_of(WORDS),
    "causes": RECORDS,
    "sources": list_of(WORDS),
}
POSSIBLE: Final[Fields] = {
    "finding": WORDS,
    "cause": WORDS,
    "decides": WORDS,
    "look": WORDS,
    "for": list_of(WORDS),
    "against": list_of(WORDS),
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
}
VERSION_RANGES: Final[Kind] = list_of(text(r"(==|[<>]=?)[\d.]+(,(==|[<>]=?)[\d.]+)*", 'bounds like ">=2.7,<2.8.4"'))
PLACE: Final[Kind] = text(
    r"python|(driver|package|framework|build|library|toolkit|host|fact):\S+", 'a place like "package:torch"'
)
FAULTY_PRODUCT: Final[Fields] = {
    "name": text(r"[a-z0-9-]+", "a name in lower case"),
    "title": WORDS,
    "layer": one_of("driver", "framework"),
    "read_from": list_of(PLACE),
    "also": list_of(text(r"[^A-Z]+", "a name in lower case")),
    "resolves": FLAG,
}
KNOWN_FAULT: Final[Fields] = {
    "id": text(r"[a-z0-9.-]+", "a name in lower case"),
    "product": WORDS,
    "versions": VERSION_RANGES,
    "systems": list_of(one_of("linux", "wsl", "windows", "macos")),
    "machines": list_of(WORDS),
    "targets": list_of(text(r"\d{1,2}\.\d|gfx[0-9a-f]{3,4}", 'a target like "9.0" or "gfx942"')),
    "architectures": list_of(WORDS),
    "backend": WORDS,
    "variables": list_of(text(r"[A-Z][A-Z0-9_]*", "a variable's name")),
    "with": MAPPING,
    "fault": WORDS,
    "alone": FLAG,
    "states": one_of("kernel-newer-than-driver"),
    "shows": list_of(WORDS),
    "decisive": FLAG,
    "fixed": VERSION,
    "fixed_by": WORDS,
    "fixes": RECORDS,
    "sources": list_of(WORDS),
    "confidence": CONFIDENCE,
}
