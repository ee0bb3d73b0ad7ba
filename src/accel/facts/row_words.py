"""Fills the texts of a check table's row with values of its subject. Pure."""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Final, Protocol

_MOST: Final = 4  # values that are listed


class Subject(Protocol):
    """A fact, or a device: its values by name, and its device."""

    @property
    def device(self) -> str | None: ...
    def value(self, key: str) -> str | None: ...


def said(words: str | Sequence[str], same: Sequence[Subject], of: Subject | None = None) -> str | None:
    """Return the text with the values of the first fact that has all that it needs; None if no fact does.

    words  one text, or several: the first that can be filled
    """
    if not isinstance(words, str):
        named = any(one.device for one in same)
        may_be = (one for one in words if named or "{device_ids}" not in one)
        return next((told for one in may_be if (told := said(one, same, of)) is not None), None)
    parts = list(Formatter().parse(words))
    known = {
        "device_ids": ", ".join(dict.fromkeys(one.device for one in same if one.device)),
        "how_many": str(len(same)),
        "and_more": f", and {len(same) - 1} more" if len(same) > 1 else "",
    }
    asked = {name for name in asked_of(words) if name not in known}
    fact = next((one for one in ([of] if of else same) if all(one.value(name) for name in asked)), None)
    if fact is None:
        return None
    values = {**known, **{name: fact.value(name) or "" for name in asked}}
    for _, name, otherwise, _ in parts:
        if name and otherwise and not values.get(name):
            values[name] = next((value for one in (fact, *same) if (value := one.value(name))), otherwise)
    return "".join(text + _shown(name, values, form, same) for text, name, _, form in parts)


def asked_of(words: str) -> set[str]:
    """Return the names of the values that a text requires.

    >>> sorted(asked_of("{task} of {user:somebody} waits in {path!f}"))
    ['path', 'task']
    """
    return {name for _, name, otherwise, _ in Formatter().parse(words) if name and not otherwise}


def _shown(name: str | None, values: Mapping[str, str], form: str | None, same: Sequence[Subject]) -> str:
    """Return a value formatted for a slot.

    form  "f" of "{path!f}": only the file name; "n": the part after the last dot; "l": the values of the first four
          facts and the number of others; "s": those four alone
    """
    value = values[name] if name else ""
    if form in ("l", "s") and name:
        every = list(dict.fromkeys(other for one in same if (other := one.value(name))))
        more = f" and {len(every) - _MOST} more" if form == "l" and len(every) > _MOST else ""
        return ", ".join(every[:_MOST]) + more
    return value.rpartition({"f": "/", "n": "."}.get(form or "", "\0"))[2]
