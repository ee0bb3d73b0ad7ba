"""Kinds of values in the tables of specs/: a description of what is expected, and a test of a value.

Most are stated in specs/schema.yaml; those that are computed are here.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from accel.model.rates import DTYPES, KEYS

Test = Callable[[Any], bool]
Kind = tuple[str, Test]  # what is expected, in words; whether a value is that
Named = Callable[[str], Kind]

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
    *("package", "source", "toolkit", "unlisted", "use", "variable", "wiring"),
)
_PATH: Final = re.compile(  # accel.facts.query says what each means
    rf"run\.(program|installation|build)|({'|'.join(_SUBJECTS)})\.\S[^=?]*(\?\w+=\w+)?|[a-z]+\.(driver|devices)(\.\w+)?|accelerators"
)
_TERM: Final = re.compile(
    rf"(not )?(@({'|'.join(PROPERTIES)})|({_PATH.pattern})(=\S+( \S+){{0,3}}|<\d[\d.]*)?|{_NAME}( \| {_NAME})*)"
)
_RELATIONS: Final = ("unlike", "older", "newer")  # accel.facts.readings
_READ: Final = re.compile(
    r"=\w+(\|[\w.-]+)?"
)  # "=field|other": the config's field, or the other value if it is missing


def _is_term(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    words = value.removeprefix("not ").split(" ")
    if len(words) == 3 and words[1] in _RELATIONS:
        return all(_is_path(path) for side in (words[0], words[2]) for path in side.split("|"))
    return _TERM.fullmatch(value) is not None


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and _PATH.fullmatch(value) is not None


def is_query(value: Any) -> bool:
    """Return whether a value is a query or a list of them, as in accel.facts.query."""
    return _is_term(value) or (isinstance(value, list) and bool(value) and all(map(is_query, value)))


def _are_rates(value: Any) -> bool:
    return isinstance(value, dict) and all(
        k in KEYS and type(x) is int and 10**9 <= x <= 10**18 for k, x in value.items()
    )


COMPUTED: Final[Mapping[str, Kind]] = {
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "mapping": ("a mapping", lambda value: isinstance(value, dict)),
    "condition": ("a condition", lambda value: isinstance(value, dict) and len(value) > 0),
    "condition_of": ("what the observation holds", lambda value: isinstance(value, dict | list | str) and bool(value)),
    "code": ("a whole number or text", lambda value: type(value) in (int, str)),
    "dtype": (f"one of {', '.join(DTYPES)}", lambda value: value in DTYPES),
    "rate": ("a rate", lambda value: value in KEYS),
    "rates": (f"whole operations per second, between 10^9 and 10^18, by format ({', '.join(KEYS)})", _are_rates),
    "need": ('what must be known, like "run.program" or "nvidia.devices.name"', _is_path),
    "path": ('a path like "package.torch"', _is_path),
    "term": ('a query like "driver-oops", "nvidia.devices.name" or "@wsl"', _is_term),
    "query": ('queries like ["driver-oops", "not @wsl", ["a | b", "nvidia.devices"]]', is_query),
    "conditions_any": (
        'queries of which any one is enough, like ["@windows", ["@system-known", "not @container"]]',
        lambda value: isinstance(value, list) and bool(value) and all(map(is_query, value)),
    ),
}


def kind_of(told: Any, named: Named) -> Kind:
    """Return the kind that specs/schema.yaml states: "words", "list of words", {whole: [1, 16], what: "…"}.

    named  returns the kind of a name
    """
    if isinstance(told, str):
        if told.startswith("list of "):
            return _list_of(kind_of(told.removeprefix("list of "), named))
        return _or_read(named(told.removesuffix(" or read"))) if told.endswith(" or read") else named(told)
    form = next(key for key in told if key != "what")
    words, test = _FORMS[form](told, lambda inner: kind_of(inner, named))
    return told.get("what", words), test


def _list_of(kind: Kind) -> Kind:
    return f"a list of {kind[0]}", lambda value: isinstance(value, list) and all(kind[1](item) for item in value)


def _or_read(kind: Kind) -> Kind:
    """Return the kind, or a string that names the config field with such a value."""
    return (
        f'{kind[0]}, or "=field|other" of the config',
        lambda value: kind[1](value) or (isinstance(value, str) and _READ.fullmatch(value) is not None),
    )


def _text(told: Any, _: Any) -> Kind:
    shape = re.compile(told["text"])
    return "", lambda value: isinstance(value, str) and bool(shape.fullmatch(value))


def _number(told: Any, _: Any) -> Kind:
    low, high = told["number"]
    return "", lambda value: type(value) in (int, float) and low <= value <= high


def _whole(told: Any, _: Any) -> Kind:
    low, high = told["whole"]
    return "", lambda value: type(value) is int and low <= value <= high


def _one_of(told: Any, _: Any) -> Kind:
    return "one of " + ", ".join(map(str, told["one_of"])), lambda value: value in told["one_of"]


def _either(told: Any, made: Any) -> Kind:
    tests = [made(one)[1] for one in told["either"]]
    return "", lambda value: any(test(value) for test in tests)


def _values(told: Any, made: Any) -> Kind:
    """Return the kind of a mapping: of its values, and of its keys if they are stated."""
    test_value, test_key = made(told["values"])[1], made(told["keys"])[1] if "keys" in told else None
    return (
        "",
        lambda value: (
            isinstance(value, dict)
            and all((test_key is None or test_key(key)) and test_value(item) for key, item in value.items())
        ),
    )


_FORMS: Final[Mapping[str, Callable[[Any, Any], Kind]]] = {
    "text": _text,
    "number": _number,
    "whole": _whole,
    "one_of": _one_of,
    "either": _either,
    **dict.fromkeys(("values", "keys"), _values),
    "list_of": lambda told, made: _list_of(made(told["list_of"])),
    "each": lambda told, made: _list_of(made(told["each"])),
    "or_read": lambda told, made: _or_read(made(told["or_read"])),
}
