"""Generic wording of programs: something is missing, two versions do not match, and so on.

specs/language/<kind>.yaml, one file per kind of observation:

    observation: "missing"
    rows:
      - says: "{name:path} cannot open shared object file"
        is: {piece: "library"}
        example: "libfoo.so.1: cannot open shared object file: No such file or directory"

The slots and `is` are fields of the observation (accel.model.observation); the reader of that kind creates it.
"""

from collections.abc import Iterable
from typing import Any


def language_phrases(tables: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any, tuple[str, ...]]]:
    """Yield the rows as phrase-book rows tagged [kind, fields]."""
    for _, table in tables:
        for row in table.get("rows", ()):
            says = [row["says"]] if isinstance(row["says"], str) else row["says"]
            for sentence in says:
                yield sentence, [table["observation"], row.get("is") or {}], tuple(row.get("unless", ()))
