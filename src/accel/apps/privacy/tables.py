"""The words and forms by which secrets, hosts and people are known: specs/privacy, ready to be looked for."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """tokens: credentials that tell by their form; the keys: patterns of what stands before a value."""

    tokens: "re.Pattern[str]"
    secret_keys: str
    not_secret_keys: frozenset[str]
    host_keys: str
    user_keys: str
    serial_keys: str
    stock_names: frozenset[str]
    public_hosts: tuple[str, ...]
    top_levels: str


@cache
def tables() -> Tables:
    """Return the tables of the bundled database."""
    from accel.specs import load

    specs = load()
    forms: list[dict[str, str]] = specs.table("privacy/tokens")["tokens"]
    names: dict[str, Any] = specs.table("privacy/words")
    return Tables(
        tokens=re.compile("|".join(rf"(?<![A-Za-z0-9]){row['form']}" for row in forms)),
        secret_keys=_any(names["secret_keys"]),
        not_secret_keys=frozenset(names["not_secret_keys"]),
        host_keys=_any(names["host_keys"]),
        user_keys=_any(names["user_keys"]),
        serial_keys=_any(names["serial_keys"]),
        stock_names=frozenset(names["stock_names"]),
        public_hosts=tuple(names["public_hosts"]),
        top_levels=_any(names["top_levels"]),
    )


def _any(words: Iterable[str]) -> str:
    """Return a pattern of any of the words, the longest first; blanks may be "-", "_", "." or nothing."""
    return "|".join(re.escape(word).replace(r"\ ", "[-_. ]?") for word in sorted(words, key=len, reverse=True))
