"""What a remedy's words say that it does: whether it only shows something, or bids a change.

The words are in specs/language/remedies.yaml.
"""

from collections.abc import Mapping
from typing import Any, Final

from accel.text.pattern import pattern

_CLAUSE: Final = pattern(r"[.;:,!] |\band |\bor |\bthen ", exact_case=True)


def only_shows(text: str, table: Mapping[str, Any]) -> bool:
    """Whether a step shows something and changes nothing: it begins so, and no clause of it bids a change."""
    said = text.lower()
    for word in table.get("binds", ()):
        said = said.removeprefix(word)
    if not said.startswith(tuple(table.get("looks", ()))):
        return False
    acts = frozenset(table.get("acts", ()))
    ends = [0, *(hit.end() for hit in _CLAUSE.finditer(said))]
    clauses = (said[start:].lstrip().rstrip(".") for start in ends[1:])
    return not any(clause.split(" ", 1)[0] in acts for clause in clauses)
