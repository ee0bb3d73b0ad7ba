"""Names that need no reading: a text that is a product's name as the index has it, or a sentence that says one such name.

Seen    "H100"  "RTX 4090 24GB"  "how many H100 do I need for llama 70B"

Every other word of the sentence must be a common one or an amount of something else; a text with a number of devices,
a form, a memory or a second name outside the name is read by accel.names.named.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from accel.names.grammar import is_common, placed, words_in
from accel.names.index import Index, vocabulary_of
from accel.names.machines import key_of
from accel.names.meaning import Named
from accel.names.tokens import SLICES, words_of

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.names.catalog import Catalog

_LONGEST_NAME: Final = 60
_LONGEST: Final = 200
_FEWEST_WORDS: Final = 4  # of a sentence


def directly_named(
    catalog: "Catalog", index: Index, text: str, by_name: "Callable[[str], tuple[Chip, ...]]"
) -> Named | None:
    """Return what a text means that is a name, or says one among common words; None if it must be read."""
    if not text.isascii() or len(text) > _LONGEST or not text.replace(" ", "").isprintable():
        return None
    if len(text) <= _LONGEST_NAME and text.replace(" ", "").isalnum() and _is_key(index, text):
        return _placed(index, text, Named(asked=text, chips=by_name(text), by="name"))
    if text.count(" ") + 1 < _FEWEST_WORDS:
        return None
    said = _said_among_common_words(catalog, index, text)
    if said is None:
        return None
    name, others = said
    return _placed(index, text, Named(asked=text, chips=by_name(name), by="name", aside=others))


def _is_key(index: Index, text: str) -> bool:
    """Tell whether a text is a name as the index has it, and no machine's."""
    known = vocabulary_of(index)
    words = words_of(text, known)
    if not SLICES.isdisjoint(words):
        return False
    if " ".join(words) not in index["names"] or key_of(text) in index["machines"]:
        return False
    return any(map(str.isdigit, text)) and "".join(words) not in index["dies"]


def _placed(index: Index, text: str, found: Named) -> Named | None:
    """Return what was found, if every word has its place; None if the text must be read."""
    verdict = placed(index, text, found) if found.chips else None
    return found if verdict is not None and not (verdict.unknown or verdict.altered or verdict.line) else None


def _said_among_common_words(catalog: "Catalog", index: Index, text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the one name that a text says and the other words, all of them common; None of any other text."""
    from accel.text.words import Words

    names = list(catalog.product_names.in_words(Words(text)))
    known = vocabulary_of(index)
    if len(names) != 1 or names[0].bare or not names[0].certain:
        return None
    start, end = names[0].start, names[0].end
    if any(word in known.homonyms for word in words_of(text[start:end], known)):
        return None
    if "-" in text[:start] or "-" in text[end:]:
        return None
    others = words_in(f"{text[:start]} {text[end:]}")
    if not any(len(word) > 1 and word.lower() in known.prose for word in others):
        return None
    return (text[start:end], others) if all(_is_around(index, word.lower()) for word in others) else None


def _is_around(index: Index, word: str) -> bool:
    """Tell whether a word in lower case tells nothing of a device: a common one, or an amount of something else."""
    known = vocabulary_of(index)
    if word in known.brands or word in known.backs or word in known.forms or word in known.portable:
        return False
    if word in known.introducing or word in known.suffixes or word in known.processors or word in known.partners:
        return word in known.prose and len(word) > 1 and word not in known.suffixes
    unit = word.lstrip("0123456789.")
    if unit != word:
        return unit in known.units and unit != "x"
    return is_common(word, index) or (word.isalpha() and len(word) > _FEWEST_WORDS)
