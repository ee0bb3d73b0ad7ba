"""Every word of a text has its place around a product's name, or the name is not understood.

    maker  line  model  suffix  form  memory       "NVIDIA GeForce RTX 4090 D", "A100 SXM4 80GB"
    what stands around it                          "my", "Lenovo Legion", "driver 550.54", "is slow"

Refused "Lisuan G100"  "Tesla Model 3"  "Huawei H20"  "H100 Ultra"  "V100 64GB"  "Nikon P100"
Altered "RTX 3090 48GB": a card with more memory than its maker put on it

A line's word ("RTX", "Radeon") belongs to one maker, so that any word may stand before it. A sign alone ("M30") is the
name of much else: a word before it that is not known may be the maker of that. Behind a name, a word may make it
another product's.
"""

import re
from itertools import pairwise
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.tokens import SLICES, memory_word, parts_of, words_of
from accel.names.vocabulary import Vocabulary
from accel.text.pattern import pattern

_HAN: Final = "\u3400-\u9fff"
_KANA: Final = "\u3040-\u30ff"
_TOKEN: Final = pattern(rf"\d+(?:\.\d+)+|[{_HAN}]+|[{_KANA}]+|(?:(?![{_HAN}{_KANA}])[^\W_])+(?:\++(?!\w))?")
_JOINT: Final = pattern(r"[ \t\u00a0_\-®™]{0,4}(?:\((?:r|tm|c)\)[ _\-]?)?")
_CODE: Final = pattern(
    r"(?:sm|compute|gfx|cc|x|v|gen|gpu|node|rank|fp|bf|int|uint|tf|nvfp|mxfp|ddr|gddr|hbm|cu|q)\d{1,4}[a-z]?"
)
_BRACKET: Final = pattern(r"[ \t_\-]{0,3}[(\[（]?[ \t_\-]{0,3}|[)\]）]? ?-? ?")
_NAME: Final = ("maker", "line", "model", "form", "memory", "silent", "portable", "slice")
_ENDINGS: Final = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "'s", "+")
_MOST_NAME_WORDS: Final = 3  # of what is not of the name itself
_LEAST_MEASURED: Final = 0.92  # of a product's memory, as programs measure it
_MOST_MEASURED: Final = 1.074  # of it in units of 1000, and of 1024
_FEWEST_DIGITS: Final = 3  # of a number that is a name without its line
_DOUBLE: Final = 2
_LONGEST: Final = 400  # signs of a text whose unknown words are told
_MOST_TOLD: Final = 4
_LONGEST_HAN: Final = 4  # signs of a maker's name in another script than Latin, at least two; others are of sentences
_LAST: Final = ("s", "m", "+")  # behind a model: "3090s" are several, "4070m" is a laptop's, "3060+" may be another one
_ANY_FORM: Final = frozenset(("workstation", "server", "active"))  # of which a name may say more than its product's
_MEMORY_TYPES: Final = ("ddr", "lpddr")

LINE, SIGN, WEAK = 3, 2, 1  # how surely a name is a product's: by its line's word, by its own form, hardly


@dataclass(slots=True)
class Token:
    """A word of a text with its place: one of _NAME, "around", "ordinary", "suffix", "other maker", "stranger", …"""

    text: str
    start: int
    end: int
    place: str = ""

    @property
    def lower(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class _Own:
    """The words of what was found: all, those that tell one product from another, two glued together, the makers."""

    words: set[str]
    models: set[str]
    glued: set[str]
    vendors: set[str]


@dataclass(frozen=True, slots=True)
class Placed:
    """What the grammar says of a text.

    unknown  words without a place
    altered  the GiB of a card, where the product never had so much
    line     the one word that names the product, where it has no number: "titan"; "" of any other name
    """

    unknown: tuple[str, ...] = ()
    altered: int | None = None
    line: str = ""


def placed(index: Index, text: str, found: Named) -> Placed:
    """Return the words that have no place around the names of what was found, and the memory of an altered card."""
    known = vocabulary_of(index)
    text = _spelt(text, known)
    tokens = [Token(one[0], one.start(), one.end()) for one in _TOKEN.finditer(text)]
    own = _own(known, found.chips)
    _place(index, tokens, own)
    groups = _groups(text, tokens, "model") or _groups(text, tokens, "line")
    others = [token for token in tokens if token.place not in _NAME]
    name_like = len(others) <= _MOST_NAME_WORDS and not any(_is_prose(token, known) for token in others)
    if not groups:
        return Placed()
    more = [token for token in tokens if token.text[-1] == "+" and token.place in _NAME]
    more = [token for token in more if token.place != "memory" and token.lower not in own.words]
    if more and name_like:
        return Placed(tuple(token.text for token in more))
    partner = any(token.lower in known.partners for token in tokens)
    strange = [token for token in tokens if token.place == "other-thing" or (name_like and token.place == "stranger")]
    long = [(first, last) for first, last in groups if not _is_short(tokens[first : last + 1], known)]
    if not long and any(token.place == "line" and token.lower not in known.homonyms for token in tokens):
        return Placed()
    if not long:
        return Placed(tuple(token.text for first, last in groups for token in tokens[first : last + 1]))
    altered = None
    if not found.each:  # "Alder Lake-P GT2 [Iris Xe Graphics]": the surest name of the one product
        most = max(_strength(tokens[first : last + 1], known) for first, last in long)
        long = [(first, last) for first, last in long if _strength(tokens[first : last + 1], known) == most]
    for first, last in long:
        group = tokens[first : last + 1]
        strength = _strength(group, known)
        if strength < LINE and strange:
            return Placed(tuple(token.text for token in strange))
        before = tokens[first - 1] if first and _joined(text, tokens[first - 1], group[0]) else None
        ended = last > first and not _joined(text, *tokens[last - 1 : last + 1])
        behind = tokens[last + 1] if tokens[last + 1 :] and _joined(text, group[-1], tokens[last + 1]) else None
        behind = None if ended else behind
        if before is not None and _is_foreign(index, before, strength, name_like):
            return Placed((before.text,))
        hyphen = behind is not None and text[group[-1].end : behind.start] == "-"
        if behind is not None and not partner and _alters(behind, hyphen, name_like, known):
            return Placed((behind.text,))
        if again := _said_again(group, found.chips, known):
            return Placed((again,))
        if form := _other_form(group, found.chips, known):
            return Placed((form,))
        memory, wrong = _memory(text, tokens, group, found)
        if wrong:
            return Placed((wrong,))
        altered = altered or memory
    return Placed((), altered, _line_alone(tokens, long))


def unplaced(index: Index, text: str) -> tuple[str, ...]:
    """Return the words of a text that names nothing, which are of no name and no sentence."""
    known = vocabulary_of(index)
    tokens = [Token(one[0], one.start(), one.end()) for one in _TOKEN.finditer(_spelt(text[:_LONGEST], known))]
    _place(index, tokens, _Own(set(), set(), set(), set()))
    strange = [token.text for token in tokens if token.place in ("", "number", "stranger", "other-thing", "suffix")]
    return tuple(dict.fromkeys(strange))[:_MOST_TOLD]


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a text as the grammar takes them apart."""
    return tuple(one[0] for one in _TOKEN.finditer(text))


def _spelt(text: str, known: Vocabulary) -> str:
    """Return the text with the vocabulary's phrases as what they mean: "昇腾" as "ascend"."""
    lower = text.lower()
    for phrase, meaning in known.phrases:
        if phrase in lower:
            text = re.sub(re.escape(phrase), meaning, text, flags=re.IGNORECASE)
            lower = text.lower()
    return text


def _own(known: Vocabulary, chips: tuple[Chip, ...]) -> _Own:
    """Return the words of the products' names."""
    names = [words_of(name, known) for chip in chips for name in (chip.name, *chip.aliases, *chip.families)]
    words = {word for name in names for word in name}
    words |= {word for chip in chips for word in words_of(chip.architecture or "", known) if word.isalpha()}
    numbered = {word for word in words if _has_digit(word) and not memory_word(word) and word not in known.forms}
    plain = {word for word in words if word not in known.forms and word not in known.portable}
    pairs = {(one, other) for name in names for one, other in pairwise(name) if not memory_word(other)}
    glued = {one + other for one, other in pairs if _has_digit(one + other)}  # "g100" of "GeForce G 100"
    return _Own(words, numbered or plain, glued, {chip.vendor for chip in chips})


def _place(index: Index, tokens: list[Token], own: _Own) -> None:
    """Give each word its place; the parts of a model's name that stand apart ("MI 300X") become one word."""
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


def _place_of(word: str, known: Vocabulary, own: _Own, index: Index) -> str:
    bare = (word, *(word.removesuffix(ending) for ending in _LAST if word.endswith(ending)))
    for said in (set(parts_of(each, known)) for each in bare if each):
        models = said & own.models or said & own.glued
        others = (part for part in said if part not in own.words and part not in own.glued)
        if models and all(part in known.brands or part in known.series for part in others):
            return "model"
    if memory_word(word):
        return "memory"
    if word in SLICES:
        return "slice"
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
    """Return the place of a word that is of no name."""
    if word in known.silent and word not in known.partners:
        return "silent"
    if word in known.strangers:
        return "stranger"
    if word in known.other_things:
        return "other-thing"
    if word in known.suffixes and not is_common(word, index):
        return "suffix"
    if is_common(word, index):
        return "ordinary"
    if word in known.suffixes:
        return "suffix"
    return "number" if word[0].isdecimal() or word[0] == "+" or _CODE.fullmatch(word) else ""


def is_common(word: str, index: Index) -> bool:
    """Tell whether a word is a known neighbour of names that says nothing of the product."""
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


def _groups(text: str, tokens: list[Token], wanted: str) -> "list[tuple[int, int]]":
    """Return the first and the last word of each run of words that are of a name, one of them in the wanted place."""
    found: list[tuple[int, int]] = []
    place = 0
    while place < len(tokens):
        if tokens[place].place not in _NAME:
            place += 1
            continue
        first = place
        while (
            place + 1 < len(tokens)
            and tokens[place + 1].place in _NAME
            and _joined(text, tokens[place], tokens[place + 1], tokens[place + 1].place == "memory")
        ):
            place += 1
        places = [token.place for token in tokens[first : place + 1]]
        if wanted in places or places.count("line") > 1:
            found.append((first, place))
        place += 1
    return found


def _line_alone(tokens: list[Token], groups: list[tuple[int, int]]) -> str:
    """Return the word of the only name, if it is one word without a number and nothing tells more of the product."""
    said = [token for first, last in groups for token in tokens[first : last + 1]]
    models = [token.lower for token in said if token.place == "model"]
    more = any(token.place in ("line", "form", "memory", "slice") for token in said)
    return models[0] if len(models) == 1 and models[0].isalpha() and not more else ""


def _joined(text: str, one: Token, other: Token, bracket: bool = False) -> bool:
    """Tell whether nothing but blanks and hyphens stands between two words; before memory, also a bracket."""
    between = text[one.end : other.start]
    return bool(_JOINT.fullmatch(between)) or (bracket and bool(_BRACKET.fullmatch(between)))


def _strength(group: list[Token], known: Vocabulary) -> int:
    """Return how surely the words of a group are a product's name."""
    words = [part for token in group for part in parts_of(token.lower, known)]
    lettered = [word for word in words if _has_digit(word) and not memory_word(word)]
    own = [token.lower for token in group if token.place == "line" and len(token.text) > _FEWEST_DIGITS]
    if any(word not in known.homonyms for word in own):
        return LINE
    for word in words:
        line = word in known.series or (word in known.brands and word not in known.homonyms)
        line = line and word not in known.homonyms
        if line or (word in known.brands and any(len(each) >= _FEWEST_DIGITS for each in lettered)):
            return LINE
    for word, after in zip(words, [*words[1:], ""], strict=True):
        letters = len(word) - len(word.lstrip("abcdefghijklmnopqrstuvwxyz"))
        if (word in known.alone and word not in known.homonyms) or (letters > 1 and _has_digit(word)):
            return SIGN
        if word.isdecimal() and after in known.backs:
            return SIGN
    return WEAK if lettered else SIGN


def _is_foreign(index: Index, word: Token, strength: int, name_like: bool) -> bool:
    """Tell whether the word right before a name is of another maker, or not known where the name alone is no proof."""
    known, lower = vocabulary_of(index), word.lower
    if word.place == "other maker":
        machine = lower in known.machine_makers and (strength > WEAK or lower in index["makers"])
        return not machine and lower not in known.prose and lower not in known.units
    if word.place == "stranger":
        return strength < LINE
    if strength == WEAK and lower.startswith(_MEMORY_TYPES):
        return True  # "DDR5 6000"
    if word.place:
        return False
    if strength == LINE or (strength == SIGN and not name_like):
        return False
    return name_like or word.text[0].isupper() or (not word.text.isascii() and name_like)


def _alters(word: Token, hyphen: bool, name_like: bool, known: Vocabulary) -> bool:
    """Tell whether the word right behind a name may make it another product's."""
    if word.place == "suffix":
        return len(word.text) > 1 or (name_like and word.text.isupper())
    if word.place == "number":  # "H20-3e", but "T4 45C" and "A100-8x"
        unit = word.lower.lstrip("0123456789")
        return hyphen and unit.isalpha() and unit not in known.units and unit not in ("x", "m")
    return name_like and not word.place and word.text.isalpha()


def _said_again(group: list[Token], chips: tuple[Chip, ...], known: Vocabulary) -> str:
    """Return the suffix that ends a name in which it stands already: "Radeon Pro 5500 XT Pro"; "" without one."""
    last, others = group[-1].lower, [token.lower for token in group[:-1]]
    if last not in others or last not in known.suffixes:
        return ""
    names = (words_of(name, known) for chip in chips for name in (chip.name, *chip.aliases))
    return "" if any(name.count(last) > 1 for name in names) else group[-1].text


def _is_short(group: list[Token], known: Vocabulary) -> bool:
    """Tell whether a name is but a number of one or two digits, without its line's word."""
    if any(one.place == "line" or (one.place == "maker" and one.lower not in known.homonyms) for one in group):
        return False
    said = [part for token in group if token.place == "model" for part in parts_of(token.lower, known)]
    return all(part.isalpha() or (part.isdecimal() and len(part) < _FEWEST_DIGITS) for part in said) and any(
        map(str.isdecimal, said)
    )


def _other_form(group: list[Token], chips: tuple[Chip, ...], known: Vocabulary) -> str:
    """Return the form in a name that none of its products has: "NVL" of "H100 NVL 80GB"; "" if there is none."""
    said = [token for token in group if token.lower in known.forms and token.lower not in _ANY_FORM]
    told = {token.lower.rstrip("0123456789") for token in said}
    for chip in chips if said else ():
        own = {word.rstrip("0123456789") for word in words_of(chip.name, known) if word in known.forms} - _ANY_FORM
        if not own or own & told:
            return ""
    return said[0].text if said else ""


def _memory(text: str, tokens: list[Token], group: list[Token], found: Named) -> tuple[int | None, str]:
    """Return the GiB of an altered card, and the memory in a name that none of its products has."""
    said = [token for token in group if token.place == "memory"]
    told = next((int(each[1]) for token in said if (each := re.match(r"(\d{1,4})", token.text))), None)
    sizes = [(chip, chip.memory_bytes / 2**30) for chip in found.chips if chip.memory_bytes]
    divided = found.part or any(token.place == "slice" for token in group)
    if told is None or not sizes or divided:
        return None, ""
    fits = {size / each for chip, size in sizes for each in (1, chip.devices, 1 / (found.times or 1))}
    if any(_LEAST_MEASURED <= told / size <= _MOST_MEASURED for size in fits):
        return None, ""
    if any("unified" in (chip.memory_type or "") and told <= size for chip, size in sizes):
        return None, ""
    if _is_hosts(text, tokens, said[-1]) or any(_is_called(chip, told) for chip in found.chips if _is_datacenter(chip)):
        return None, ""
    sold = any(_is_called(chip, told) or round(size) * _DOUBLE == told for chip, size in sizes)
    if sold and not any(_is_datacenter(chip) for chip, _ in sizes):
        return told, ""
    return None, f"{told}GB"


def _is_hosts(text: str, tokens: list[Token], memory: Token) -> bool:
    """Tell whether the word behind an amount of memory says that it is something else's."""
    behind = next((token.lower for token in tokens if token.start >= memory.end), "")
    return behind in ("ram", "ddr4", "ddr5", "ssd", "nvme", "disk", "total", "combined", "model", "s")


def _is_called(chip: Chip, gib: int) -> bool:
    return any(f"{gib}gb" in name.lower().replace(" ", "") for name in (chip.name, *chip.aliases, *chip.families))


def _is_datacenter(chip: Chip) -> bool:
    return bool(chip.marketed_for_datacenter) or chip.segment == "workstation"


def _is_prose(token: Token, known: Vocabulary) -> bool:
    """Tell whether a word shows that a text is a sentence."""
    return token.lower in known.prose and len(token.text) > 1


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
