"""One edit of a recorded text, and what it changed that was not edited.

    edit = edited(text, Random(9))                         # one of  every_edit(text)
    mistakes = moved(devices_of(text, registry), devices_of(edit.text, registry), edit)

A word with a digit becomes what tools print for what they cannot read, blanks, or a number that no device has. Its
value may become unknown, and its device with it; all the rest stays, and no device comes to be.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from random import Random
from typing import Any, Final

from accel.collect.text import read_texts
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry

_WORD: Final = re.compile(r"[\w./:%-]+")
_NINES: Final = "9" * 20
_NEW: Final = ("ERR!", "N/A", "", _NINES)
_UNKNOWN: Final = (None, (), "unknown")
_KEYS: Final = ("index", "pid", "id", "memory")  # what tells the records of one field apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The text after the edit; line: its number, from 1; word became new."""

    text: str
    line: int
    word: str
    new: str


def edited(text: str, chance: Random) -> Edit | None:
    """Return the text with one word replaced in its place; None if no word of it has a digit."""
    words = _words(text)
    return _replaced(text, chance.choice(words), chance.choice(_NEW)) if words else None


def every_edit(text: str) -> Iterator[Edit]:
    """Yield an edit of each word with a digit; what stands there instead is drawn, always the same for one text."""
    chance = Random(text)
    for word in _words(text):
        yield _replaced(text, word, chance.choice(_NEW))


def _words(text: str) -> list[re.Match[str]]:
    return [found for found in _WORD.finditer(text) if any(sign.isdecimal() for sign in found[0])]


def _replaced(text: str, word: re.Match[str], new: str) -> Edit:
    after = text[: word.start()] + new.ljust(len(word[0])) + text[word.end() :]
    return Edit(text=after, line=text.count("\n", 0, word.start()) + 1, word=word[0], new=new)


def devices_of(text: str, registry: Registry) -> dict[str, Device]:
    """Return the devices of a text by their ids."""
    found, _ = merged_devices(read_texts([("text", text)], registry, for_devices=True).reports)
    return {device.id: device for device in found}


def phantoms(before: Mapping[str, Device], after: Mapping[str, Device]) -> list[str]:
    """Return the ids of the devices that the edit made."""
    return sorted(set(after) - set(before))


def moved(before: Mapping[str, Device], after: Mapping[str, Device], edit: Edit) -> list[str]:
    """Return what the edit changed that was not edited: "nvidia:1 power_watts: 250.0 became 260.0"."""
    by_device = {
        name: [f"{name} {place}: {old!r} became {new!r}" for place, old, new in _changes(before[name], device, edit)]
        for name, device in after.items()
        if name in before
    }
    differ = [said for said in by_device.values() if said]
    if edit.new == _NINES and len(differ) < 2:  # the number that was written there was read
        return []
    return [line for said in differ for line in said]


def _changes(old: Any, new: Any, edit: Edit) -> Iterator[tuple[str, Any, Any]]:
    """Yield (field, old value, new value) of two records of one thing."""
    for field in fields(new):
        if field.name in ("runtime_names", "visible"):  # they tell a place among those that are known
            continue
        first, second = getattr(old, field.name, None), getattr(new, field.name)
        if first in _UNKNOWN or second in _UNKNOWN or first == second:
            continue
        if isinstance(first, tuple) and isinstance(second, tuple):
            yield from _of_lists(field.name, first, second, edit)
        elif is_dataclass(first) and is_dataclass(second):
            yield from ((f"{field.name}.{name}", a, b) for name, a, b in _changes(first, second, edit))
        elif not _is_the_edit(first, second, edit):
            yield field.name, first, second


def _of_lists(name: str, old: tuple[Any, ...], new: tuple[Any, ...], edit: Edit) -> Iterator[tuple[str, Any, Any]]:
    if all(is_dataclass(item) for item in (*old, *new)):
        known = {_key(item): item for item in old}
        for item in new:
            if _key(item) in known:
                pairs = _changes(known[_key(item)], item, edit)
                yield from ((f"{name}[{_key(item)}].{field}", a, b) for field, a, b in pairs)
            elif _NINES not in str(_key(item)):
                yield name, old, new
        return
    words = all(isinstance(item, str) for item in (*old, *new))
    left = iter(old)
    if not (words and (all(item in left for item in new) or any(edit.word in item for item in old))):
        yield name, old, new


def _key(item: Any) -> Any:
    return next((value for key in _KEYS if (value := getattr(item, key, None)) is not None), None)


def _is_the_edit(old: Any, new: Any, edit: Edit) -> bool:
    """Say whether a value is the edited one, and reads as it is written now."""
    if edit.new == _NINES and _NINES in str(new):
        return True
    word = edit.word.strip(":.,")
    if isinstance(old, str) and isinstance(new, str) and _is_the_rest(old, new, edit):
        return True
    if not (isinstance(old, str) and isinstance(new, str) and word in old):
        return False
    return word != old or word in new  # of a name that is the word itself nothing is left, unless another says it


def _is_the_rest(old: str, new: str, edit: Edit) -> bool:
    """Say whether a name is what is left of a product's before the edited word, which its record's name had not."""
    line = edit.text.split("\n")[edit.line - 1]
    return not set(old.split()).isdisjoint(new.split()) and f"{new} {edit.new}" in line
