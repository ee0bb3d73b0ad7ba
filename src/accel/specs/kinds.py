"""Kinds of values in the tables of specs/: a description of what is expected, and a test of a value."""

import re
from collections.abc import Callable
from typing import Any, Final

from accel.model.rates import KEYS

Test = Callable[[Any], bool]
Kind = tuple[str, Test]  # what is expected, in words; whether a value is that
Fields = dict[str, Kind]


def number(low: float, high: float, what: str) -> Kind:
    return what, lambda value: type(value) in (int, float) and low <= value <= high


def whole(low: int, high: int, what: str) -> Kind:
    return what, lambda value: type(value) is int and low <= value <= high


def text(pattern: str, what: str) -> Kind:
    shape = re.compile(pattern)
    return what, lambda value: isinstance(value, str) and bool(shape.fullmatch(value))


def list_of(kind: Kind) -> Kind:
    return f"a list of {kind[0]}", lambda value: isinstance(value, list) and all(kind[1](item) for item in value)


def one_of(*values: str) -> Kind:
    return "one of " + ", ".join(values), lambda value: value in values


WORDS: Final[Kind] = text(r"(?s).+", "text")
FLAG: Final[Kind] = ("true or false", lambda value: isinstance(value, bool))
MAPPING: Final[Kind] = ("a mapping", lambda value: isinstance(value, dict))
RECORDS: Final[Kind] = list_of(MAPPING)
SEVERITY: Final[Kind] = one_of("info", "warning", "error")
LAYER: Final[Kind] = one_of("hardware", "driver", "access", "toolkit", "framework", "application")
ACTION: Final[Kind] = one_of("app", "env", "admin", "reset", "reboot", "service")
KIND_OF_STEP: Final[Kind] = one_of("mend", "look", "ask")
VERSION: Final[Kind] = text(r"[\w.+!-]+( \(\w+\))?", 'a quoted version like "12.1"')
REQUIREMENT: Final[Kind] = text(r"[<>=!~].+|[\d.x*]+", 'a quoted requirement like ">=3.9"')
CAPABILITY: Final[Kind] = text(r"\d{1,2}\.\d", 'a quoted compute capability like "8.0"')
CODE_OF: Final[Kind] = text(
    r"\d{1,2}\.\d[af]?", 'a quoted compute capability like "8.0", or "9.0a" of code for it alone'
)
TARGET: Final[Kind] = text(r"gfx[0-9a-f]{3,4}", 'a target like "gfx90a"')
URL: Final[Kind] = text(r"https?://\S+", "an address that begins with https://")
PCI_ID: Final[Kind] = text(r"[0-9a-f]{4}:[0-9a-f]{4}", 'a PCI id like "10de:2330", in lower case')
DATE: Final[Kind] = text(r"\d{4}(-\d\d){0,2}|\d{4}-[QH]\d.*", 'a quoted date like "2024-07-24"')
BRANCH: Final[Kind] = whole(100, 2000, "a driver branch like 535")
PLATFORM: Final[Kind] = text(r"(linux|windows|macos)_(x86_64|aarch64|arm64)", 'a platform like "linux_x86_64"')
CONFIDENCE: Final[Kind] = one_of("official", "derived", "community", "high", "medium", "low")
RATES: Final[Kind] = (
    f"whole operations per second, between 10^9 and 10^18, by format ({', '.join(KEYS)})",
    lambda v: (
        isinstance(v, dict) and all(key in KEYS and type(x) is int and 10**9 <= x <= 10**18 for key, x in v.items())
    ),
)
PER_CLOCK: Final[Kind] = (
    "whole dense operations by rate",
    lambda v: isinstance(v, dict) and all(key in KEYS and type(x) is int and 1 <= x <= 2**20 for key, x in v.items()),
)
VERSIONS_BY: Final[Kind] = (
    "quoted versions by name",
    lambda v: isinstance(v, dict) and all(isinstance(x, str) for x in v.values()),
)
PYTHONS: Final[Kind] = (
    "lists of quoted Python versions by platform",
    lambda v: isinstance(v, dict) and all(list_of(VERSION)[1](x) for x in v.values()),
)
SOURCED: Final[Fields] = {"sources": list_of(WORDS), "confidence": CONFIDENCE, "note": WORDS}
