"""The words of a text with their roles: part of a product's name, around it, or neither.

    maker  line  model  form  memory  portable  slice  silent      in a name: "NVIDIA GeForce RTX 4090 Laptop"
    ordinary  number                                               around it: "my", "lenovo", "driver 550"
    suffix  other maker  stranger  other-thing  ""                 makes it another's, or unknown

The vocabulary lists these words (specs/names.yaml); the model's words are those of what was found.
"""

from itertools import pairwise
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.names.index import Index, vocabulary_of
from accel.names.tokens import SLICES, memory_word, parts_of, respelt, words_of
from accel.names.vocabulary import Vocabulary
from accel.text.pattern import pattern

_HAN: Final = "\u3400-\u9fff"
_KANA: Final = "\u3040-\u30ff"
_TOKEN: Final = pattern(
    rf"\d+(?:\.\d+)+|n/a(?!\w)|[{_HAN}]+|[{_KANA}]+|(?:(?![{_HAN}{_KANA}])[^\W_])+(?:\++(?![^\W_]))?"
)
_CODE: Final = pattern(
    r"(?:sm|compute|gfx|cc|x|v|gen|gpu|node|rank|fp|bf|int|uint|tf|nvfp|mxfp|ddr|gddr|hbm|cu|q)\d{1,4}[a-z]?"
)
_BOARD_MEMORY: Final = pattern(r"o\d{1,2}g")  # of an overclocked board in ASUS's codes: "DUAL-RTX5060TI-O8G"
_SYSTEM: Final = pattern(r"nvl\d{1,3}")  # a number of Grace GPUs: "GB200 NVL36"
_ENDINGS: Final = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "'s", "+")
_LONGEST: Final = 400  # signs of a text whose unknown words are reported
_MOST_TOLD: Final = 4
_LONGEST_HAN: Final = 4  # signs of a maker's name in another script than Latin, at least two; others are of sentences
NAME: Final = (
    "maker",
    "line",
    "model",
    "form",
    "memory",
    "silent",
    "portable",
    "slice",
)  # the places of words of a name
_LAST: Final = ("s", "m", "+")  # after a model: "3090s" is plural, "4070m" is a laptop's, "3060+" may be another one


@dataclass(slots=True)
class Token:
    """A word of a text with its role: one of _NAME, "around", "ordinary", "suffix", "other maker", "stranger", …"""

    text: str
    start: int
    end: int
    place: str = ""

    @property
    def lower(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Own:
    """The words of what was found: all, those that distinguish products, compounds of two, and the makers."""

    words: set[str]
    models: set[str]
    glued: set[str]
    vendors: set[str]


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a text as the grammar splits them."""
    return tuple(one[0] for one in _TOKEN.finditer(text))


def tokens_of(index: Index, text: str, own: Own) -> list[Token]:
    """Return the words of a text, each with its role relative to the products with these words."""
    tokens = [Token(one[0], one.start(), one.end()) for one in _TOKEN.finditer(text)]
    _place(index, tokens, own)
    return tokens


def own_words(known: Vocabulary, chips: tuple[Chip, ...]) -> Own:
    """Return the words of the products' names."""
    names = [words_of(name, known) for chip in chips for name in (chip.name, *chip.aliases, *chip.families)]
    words = {word for name in names for word in name}
    words |= {word for chip in chips for word in words_of(chip.architecture or "", known) if word.isalpha()}
    numbered = {word for word in words if has_digit(word) and not memory_word(word) and word not in known.forms}
    plain = {word for word in words if word not in known.forms and word not in known.portable}
    pairs = {(one, other) for name in names for one, other in pairwise(name) if not memory_word(other)}
    glued = {one + other for one, other in pairs if has_digit(one + other)}  # "g100" of "GeForce G 100"
    return Own(words, numbered or plain, glued, {chip.vendor for chip in chips})


def _place(index: Index, tokens: list[Token], own: Own) -> None:
    """Assign each word its role; separated parts of a model's name ("MI 300X") become one word."""
    known = vocabulary_of(index)
    for token in tokens:
        token.place = _place_of(token.lower, known, own, index)
    for length in (3, 2):
        for first in reversed(range(len(tokens) - length + 1)):
            some = tokens[first : first + length]
            if (said := "".join(token.lower for token in some)) in own.models:
                tokens[first : first + length] = [Token(said, some[0].start, some[-1].end, "model")]
    if not any(token.place == "model" for token in tokens):  # of "Jetson Nano 2GB" the number is its memory
        for token in tokens:
            line = token.place == "line" and token.lower in own.words and token.lower not in known.series
            token.place = "model" if line else token.place
    for token, other in pairwise(tokens):
        if token.text.isdecimal() and other.lower in ("gb", "g", "gib"):
            token.place, other.place = "memory", "memory"


def _place_of(word: str, known: Vocabulary, own: Own, index: Index) -> str:
    bare = (word, *(word.removesuffix(ending) for ending in _LAST if word.endswith(ending)))
    for said in (set(parts_of(each, known)) for each in bare if each):
        models = said & own.models or said & own.glued
        others = (part for part in said if part not in own.words and part not in own.glued)
        if models and all(part in known.brands or part in known.series for part in others):
            return "model"
    if memory_word(word) or _BOARD_MEMORY.fullmatch(word):
        return "memory"
    if word in SLICES:
        return "slice"
    if _SYSTEM.fullmatch(word):
        return "form" if any(each.startswith("gb") for each in own.models) else ""
    word = word if word in own.words else word.removesuffix("+")
    vendor = known.brands.get(word)
    if vendor in own.vendors and word in known.silent:
        return "maker"
    if vendor in own.vendors or word in known.series or word in own.words:
        return "line"
    if vendor is not None and word not in known.processors:
        return "other maker"
    if word in known.forms or word in known.portable:
        return "form" if word in known.forms else "portable"
    return _around(word, known, index)


def _around(word: str, known: Vocabulary, index: Index) -> str:
    """Return the role of a word that is not in a name."""
    if word in known.silent and word not in known.partners:
        return "silent"
    if word in known.strangers:
        return "stranger"
    if word in known.other_things:
        return "other-thing"
    if word in known.networks:
        return "network"
    if word in known.suffixes and not is_common(word, index):
        return "suffix"
    if is_common(word, index):
        return "ordinary"
    if word in known.suffixes:
        return "suffix"
    return "number" if word[0].isdecimal() or word[0] == "+" or _CODE.fullmatch(word) else ""


def is_common(word: str, index: Index) -> bool:
    """Return whether a word is a known neighbour of names that says nothing about the product."""
    known = vocabulary_of(index)
    if not word.isascii() and any(sign in word for sign in known.telling):
        return False
    if len(word) > 1 and word in known.editions and word in known.suffixes:
        return False
    said = (
        *(known.prose, known.settings, known.fields, known.units, known.host, known.software, known.introducing),
        *(known.processors, known.partners, known.machine_makers, known.numbered, known.ordinary, known.silent),
    )
    stems = {word, *(word.removesuffix(ending) for ending in _ENDINGS)}
    stems |= {f"{stem}e" for stem in stems if stem != word}
    if any(stem in words for stem in stems for words in said) or word in index["makers"]:
        return True
    if not word.isascii():
        if not 1 < len(word) <= _LONGEST_HAN:
            return True
        short = (
            each for words in (known.ordinary, known.settings, known.units, known.machine_makers) for each in words
        )
        return any(not each.isascii() and each in word for each in short) or any(
            "\u3040" <= s <= "\u309f" for s in word
        )
    return False


def unplaced(index: Index, text: str) -> tuple[str, ...]:
    """Return the words of a text without a name that belong neither to a name nor to a sentence."""
    tokens = tokens_of(index, respelt(text[:_LONGEST], vocabulary_of(index)), Own(set(), set(), set(), set()))
    strange = [token.text for token in tokens if token.place in ("", "number", "stranger", "other-thing", "suffix")]
    return tuple(dict.fromkeys(strange))[:_MOST_TOLD]


def has_digit(word: str) -> bool:
    """Return whether a word has a digit."""
    return any(map(str.isdigit, word))
