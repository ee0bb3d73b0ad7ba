"""Splits a text that names several devices into one part per device.

Seen    "3090 + P40"  "2x4090 and one 3060"  "RTX 3090、RTX 4090"  "4070 Ti SUPER & 3060 12GB"  "2x A100 4x V100"
        "AMD Ryzen 9 7950X, RTX 4090, 64GB RAM"  "Intel(R) UHD Graphics 770; NVIDIA GeForce RTX 3060"

Commas and words also occur inside one device's description: a part without a device belongs to the previous one.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from accel.model.dataclass import replace
from accel.names.counts import without_number
from accel.names.index import Index, vocabulary_of
from accel.names.machines import key_of
from accel.names.meaning import Named
from accel.names.tokens import parts_of, raw_words
from accel.text.pattern import pattern

_JOINT: Final = pattern(
    r" ?(?:[+&;；,，、|·•]|\*\*| --? | / )[ +&-]{0,3}"
    r"| (?:and|plus|und|et|y|e|и|vs\.?|versus|or|oder|ou|o|или|og|och|또는|및|oraz|lub|ve|veya|as well as"
    r"|alongside) "
    r"|(?<=\d)\. (?=[^\W\d])| ?(?:以及|还有|外加|或者|和|加|与|及|跟|或) ?| (?=\d{1,2} ?[x×*] ?[^\W\d_])"
    r"| (?=(?:device|gpu|card|adapter)[- #]?\d{1,2} ?: )"
)
_LISTED: Final = pattern(r"\[ ?([\"'][^\[\]{}()]{3,300})(?:\]|$)")  # a program's list of names
_OPENS: Final = "([（【{"
_CLOSES: Final = ")]）】}"
_MOST_PARTS: Final = 9


def devices_in(text: str, index: Index, read: Callable[[str], Named]) -> Named | None:
    """Return the meaning of a text with several devices, each in its own part; None if it names one or none."""
    parts = parts_of_text(" ".join(text.split()))
    if len(parts) < 2 or sum(_may_name(part, index) for part in parts) < 2:
        return None
    each: list[Named] = []
    aside: list[str] = []
    for part in parts:
        one = read(part) if _may_name(part, index) else Named(asked=part)
        of_processor = one.by == "machine" and _is_processor(part, index)
        if not one.chips or of_processor or one.by not in ("name", "machine", "part"):
            aside.append(part)
        else:
            entered(each, one)
    if len(each) < 2:
        return None
    chips = {chip.name: chip for one in each for chip in one.chips}
    return Named(asked=text, chips=tuple(chips.values()), by="name", aside=tuple(aside), each=tuple(each))


def only_device_in(text: str, index: Index, read: Callable[[str], Named]) -> Named | None:
    """Return the meaning of the only part of a text that names a device, if no other part could name one."""
    parts = parts_of_text(" ".join(text.split()))
    named = [part for part in parts if _may_name(part, index)]
    found = [(part, one) for part in named if (one := read(part)).chips and one.by != "series"]
    others = [part for part in named if part != found[0][0]] if len(found) == 1 else named
    if not found or len(parts) < 2 or any(any(map(str.isalpha, part)) for part in others):
        return None
    part, one = found[0]
    return replace(one, aside=(*one.aside, *(other for other in parts if other != part)))


def entered(each: list[Named], one: Named) -> None:
    """Add a device to the others, or complete one that is already there."""
    names = {chip.name for chip in one.chips}
    for number, other in enumerate(each):
        others = {chip.name for chip in other.chips}
        if names.isdisjoint(others):
            continue
        if one.asked.lower() == other.asked.lower():
            each[number] = replace(other, times=(other.times or 1) + (one.times or 1))
        elif names < others:
            each[number] = replace(one, times=one.times or other.times)
        return
    each.append(one)


def _is_processor(part: str, index: Index) -> bool:
    """Return whether a part names a CPU: next to other devices its graphics are not meant."""
    known = vocabulary_of(index)
    return not known.processors.isdisjoint(raw_words(part, known))


def _may_name(part: str, index: Index) -> bool:
    """Return whether a part of a text has a model's word, so that it could name a device."""
    if "models of names" not in index:
        index["models of names"] = frozenset(index["models"])
    known, models = vocabulary_of(index), index["models of names"]
    counted = without_number(part)
    raw = raw_words(counted.text if counted else part, known)
    words = (piece for word in raw for piece in (word, word.removesuffix("s"), *parts_of(word, known)))
    if "names without digits" not in index:
        keys = (key for part in ("names", "cores") for key in index[part])
        plain = (frozenset(key.split()) for key in keys if key.replace(" ", "").isalpha())
        index["names without digits"] = frozenset(plain)
    least = 1 if any(word in known.brands for word in raw) else 2
    plain_names = (words for words in index["names without digits"] if words.issubset(raw))
    if key_of(part) in index["machines"] or any(least <= len(words) for words in plain_names):
        return True
    titled = any(word in known.titled and behind in known.titled[word] for word, behind in pairwise(raw))
    return titled or any(word in models and not word.endswith("gb") for word in words)


def parts_of_text(text: str) -> list[str]:
    """Return the parts between separators, ignoring separators in brackets; [] if there are too many.

    >>> parts_of_text("2x4090 and one 3060"), parts_of_text("RTX 3060 (12 GB, OC) + P40")
    (['2x4090', 'one 3060'], ['RTX 3060 (12 GB, OC)', 'P40'])
    """
    text = _bare(text)
    depths = _depths(text)
    found: list[str] = []
    begin = 0
    for joint in _JOINT.finditer(text):
        if depths[joint.start()] == 0 and joint.start() >= begin:
            found.append(text[begin : joint.start()].strip())
            begin = joint.end()
    found.append(text[begin:].strip())
    parts = [part for part in found if part]
    return parts if len(parts) <= _MOST_PARTS else []


def _bare(text: str) -> str:
    """Return the text without a list's enclosing brackets and bullet."""
    text = text.strip(" -*•>")
    if (listed := _LISTED.search(text)) and "," in listed[1]:
        return listed[1]
    return text[1:-1] if text[:1] in ("[", "{") and text[-1:] in ("]", "}") and text.count(text[0]) == 1 else text


def _depths(text: str) -> list[int]:
    """Return the bracket depth of each character.

    A bracket that is never closed, as in a truncated text, does not count.
    """
    closed: set[int] = set()
    opened: list[int] = []
    for place, sign in enumerate(text):
        if sign in _OPENS:
            opened.append(place)
        elif sign in _CLOSES and opened:
            closed.update((opened.pop(), place))
    depth = 0
    found = []
    for place, sign in enumerate(text):
        if sign in _CLOSES and place in closed:
            depth -= 1
        found.append(depth)
        if sign in _OPENS and place in closed:
            depth += 1
    return found
