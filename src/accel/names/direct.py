"""The fast path: a product's name exactly as in the index, or a sentence with one such name.

Seen    "H100"  "RTX 4090 24GB"  "how many H100 do I need for llama 70B"

Every other word of the sentence must be a common one, the number of devices before the name or an amount of something
else; a text with a form, a memory size or a second name outside the name is parsed by accel.names.named.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from accel.model.rates import by_speed
from accel.names.index import Index, vocabulary_of
from accel.names.machines import key_of
from accel.names.meaning import Named
from accel.names.search import records
from accel.names.tokens import SLICES, core, memory_word, words_of

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.names.catalog import Catalog
    from accel.names.products import NamedProduct

_Said = tuple[str, int | None, tuple[str, ...]]
_LONGEST_NAME: Final = 60
_LONGEST: Final = 200
_FEWEST_WORDS: Final = 4  # of a sentence
_SHORT: Final = 4  # letters; a word of so few may be a sign of a product
_LETTERS: Final = ("a", "i")  # that are words of sentences
_DIGITS: Final = 4  # of a number that is a name: "3090"


def exactly_named(catalog: "Catalog", index: Index, text: str) -> Named | None:
    """Return the meaning of a text all of whose words belong to one name; None if it has to be parsed.

    It has to be if it states a memory size other than the product's, or names a part, a machine or a die.
    """
    bare = text.replace(" ", "")
    if len(text) > _LONGEST_NAME or not (bare.isascii() and bare.isalnum()) or bare.isalpha():
        return None
    known = vocabulary_of(index)
    words = words_of(text, known)
    key = " ".join(words)
    if key not in index["names"] or key_of(text) in index["machines"] or "".join(words) in index["dies"]:
        return None
    if not SLICES.isdisjoint(words):
        return None
    numbers = index["names"][key]
    if not any(index["entries"][number][3] for number in numbers):  # "H100": form and memory distinguish the records
        if core(words, known) != words:
            return None
        numbers = [number for longer in index["cores"].get(key, ()) for number in index["names"][longer]]
    vendors = {index["entries"][number][0] for number in numbers}
    own = {*words, *(word for word, vendor in known.brands.items() if vendors == {vendor})}
    if len(vendors) > 1 or not own.issuperset(text.lower().split()):
        return None
    chips = records(catalog, index, numbers)
    said = [int(memory[:-2]) for word in words if (memory := memory_word(word))]
    if any(round((chip.memory_bytes or 0) / 2**30) not in said for chip in chips if said):
        return None
    if not chips or (len(chips) > 1 and any(words_of(chip.name, known) == words for chip in chips)):
        return None
    if not known.lines.keys().isdisjoint(said_words := text.lower().split()):
        from accel.names.grammar import other_line

        if other_line(said_words, tuple(chips), known):
            return None
    return Named(asked=text, chips=tuple(sorted(chips, key=by_speed)), by="name")


def directly_named(
    catalog: "Catalog", index: Index, text: str, by_name: "Callable[[str], tuple[Chip, ...]]"
) -> Named | None:
    """Return the meaning of a text that is a name, or has one among common words; None if it has to be parsed."""
    if not text.isascii() or len(text) > _LONGEST or not text.replace(" ", "").isprintable():
        return None
    if len(text) <= _LONGEST_NAME and text.replace(" ", "").isalnum() and _is_key(index, text):
        return _placed(index, text, Named(asked=text, chips=by_name(text), by="name"))
    if text.count(" ") + 1 < _FEWEST_WORDS or text.lower().startswith(tuple(vocabulary_of(index).shares)):
        return None
    said = _said_among_common_words(catalog, index, text)
    if said is None:
        return None
    name, times, others = said
    return _placed(index, text, Named(asked=text, chips=by_name(name), by="name", times=times, aside=others))


def _is_key(index: Index, text: str) -> bool:
    """Return whether a text is a name exactly as in the index, and not a machine's."""
    known = vocabulary_of(index)
    words = words_of(text, known)
    if not SLICES.isdisjoint(words):
        return False
    if " ".join(words) not in index["names"] or key_of(text) in index["machines"]:
        return False
    return any(map(str.isdigit, text)) and "".join(words) not in index["dies"]


def _placed(index: Index, text: str, found: Named) -> Named | None:
    """Return what was found if every word has its place; None if the text has to be parsed."""
    from accel.names.grammar import placed

    verdict = placed(index, text, found) if found.chips else None
    return found if verdict is not None and not (verdict.unknown or verdict.altered or verdict.line) else None


def _said_among_common_words(catalog: "Catalog", index: Index, text: str) -> _Said | None:
    """Return the only name in a text, its number and the other words, all common; None for any other text."""
    from accel.names.counts import number_before, number_behind
    from accel.names.places import words_in
    from accel.text.words import Words

    names = list(catalog.product_names.in_words(Words(text)))
    if len(names) != 1 or not _is_sure(index, text, names[0]):
        return None
    before, behind = text[: names[0].start], text[names[0].end :]
    if "-" in before or "-" in behind or number_behind(behind)[0] is not None:
        return None
    times, before = number_before(before)
    known, others = vocabulary_of(index), words_in(f"{before} ; {behind}")
    if not any(len(word) > 1 and word.lower() in known.prose for word in others):
        return None
    lower = [word.lower() for word in others]
    told = [word for word in lower if word not in known.portable]
    if not all(_is_around(index, word, last) for last, word in zip(["", *lower], lower, strict=False) if word in told):
        return None
    name = text[names[0].start : names[0].end]
    return (f"{name} laptop" if len(told) < len(lower) else name), times, others


def _is_sure(index: Index, text: str, name: "NamedProduct") -> bool:
    """Return whether a name in a sentence is unambiguous: by its form, or for a number by the word before it."""
    known = vocabulary_of(index)
    if name.bare or not name.certain:
        last = text[: name.start].split()[-1:]
        return name.digits == _DIGITS and bool(last) and last[0].lower() in known.introducing
    return known.homonyms.isdisjoint(words_of(text[name.start : name.end], known))


def _is_around(index: Index, word: str, last: str) -> bool:
    """Return whether a lower-case word says nothing about a device: a common one, an amount of something, a version.

    last: the word before it
    """
    from accel.names.places import is_common

    known = vocabulary_of(index)
    if word in known.brands or word in known.backs or word in known.forms or word in known.suffixes:
        return False
    if word in known.introducing or word in known.processors or word in known.partners:
        return word in known.prose and (len(word) > 1 or word in _LETTERS)
    unit = word.lstrip("0123456789.")
    if unit != word:
        return unit in known.units if unit else last in known.software
    return is_common(word, index) or (word.isalpha() and len(word) > _SHORT)
