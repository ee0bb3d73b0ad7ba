"""Assigns every word around a product's name a role; if a word has none, the name is not recognised.

    maker  line  model  suffix  form  memory       "NVIDIA GeForce RTX 4090 D", "A100 SXM4 80GB"
    words around it                                "my", "Lenovo Legion", "driver 550.54", "is slow"

Refused "Lisuan G100"  "Tesla Model 3"  "Huawei H20"  "H100 Ultra"  "V100 64GB"  "Nikon P100"
Altered "RTX 3090 48GB": a card with more memory than its maker installed

A line's word ("RTX", "Radeon") belongs to one maker, so any word may precede it. A short code alone ("M30") is the
name of many things: an unknown word before it may be their maker. After a name, a word may make it
another product's.
"""

import re
from collections.abc import Iterable
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.places import NAME, Own, Token, has_digit, own_words, tokens_of, words_in
from accel.names.tokens import memory_word, parts_of, respelt, words_of
from accel.names.vocabulary import Vocabulary
from accel.text.pattern import pattern

_JOINT: Final = pattern(r"[ \t\u00a0_\-®™]{0,4}(?:\((?:r|tm|c)\)[ _\-]?)?")
_BRACKET: Final = pattern(r"[ \t_\-]{0,3}[(\[（]?[ \t_\-]{0,3}|[)\]）]? ?-? ?")
_MOST_NAME_WORDS: Final = 3  # of what is not of the name itself
_LEAST_MEASURED: Final = 0.92  # of a product's memory, as programs measure it
_MOST_MEASURED: Final = 1.074  # of it in units of 1000, and of 1024
_LONGEST_SUFFIX: Final = 4  # letters of one that is not known: "lite"
_FEWEST_DIGITS: Final = 3  # of a number that is a name without its line
_DOUBLE: Final = 2
_ANY_FORM: Final = frozenset(
    ("workstation", "server", "active", "lc")
)  # a name may have more of these than its product's
_CARD: Final = "pcie"
_SOCKET: Final = "sxm"  # only for modules; records of modules without the word have MIG
_OF_OTHERS: Final = (
    "ram",
    "ddr4",
    "ddr5",
    "ssd",
    "nvme",
    "disk",
    "total",
    "combined",
    "model",
    "s",
)  # "64GB RAM", "GB/s"
_NPUS: Final = ("neural engine", "ニューラルエンジン", "神经网络引擎")
_OF_COMPANIES: Final = ("ai", "tech", "technologies", "technology", "labs", "networks", "corp", "inc", "co", "ltd")
_MEMORY_TYPES: Final = ("ddr", "lpddr")

LINE, SIGN, WEAK = 3, 2, 1  # how surely a name is a product's: by its line's word, by its own form, hardly


@dataclass(frozen=True, slots=True)
class Placed:
    """The grammar's result for a text.

    unknown  words without a role
    altered  the GiB of a card, if the product never had that much
    line     the one word that names the product, if it has no number: "titan"; "" for any other name
    """

    unknown: tuple[str, ...] = ()
    altered: int | None = None
    line: str = ""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text split into words, and whether it is a name with few words around it, not a sentence.

    partner   whether it names a board maker
    modified  whether it says that the card has been modified
    """

    text: str
    words: list[Token]
    name_like: bool
    partner: bool
    modified: bool

    def joined(self, one: Token, other: Token, bracket: bool = False) -> bool:
        """Return whether only spaces and hyphens separate two words; before a memory size, also a bracket."""
        between = self.text[one.end : other.start]
        return bool(_JOINT.fullmatch(between)) or (bracket and bool(_BRACKET.fullmatch(between)))


def placed(index: Index, text: str, found: Named) -> Placed:
    """Return the words without a role around the found names, and the memory of an altered card."""
    own = own_words(vocabulary_of(index), found.chips)
    whole = _taken_apart(index, text, own)
    groups = _groups(whole, "model") or _groups(whole, "line")
    if not groups:
        return Placed()
    more = [token for token in whole.words if token.text[-1] == "+" and token.place in NAME and token.place != "memory"]
    if whole.name_like and (strange := tuple(token.text for token in more if token.lower not in own.words)):
        return Placed(strange)
    known = vocabulary_of(index)
    long = [group for group in groups if not _is_short(group, known)]
    if not long:
        lines = (token for token in whole.words if token.place == "line")
        said = any(token.lower not in known.homonyms for token in lines)
        return Placed(() if said else tuple(token.text for group in groups for token in group))
    strengths = [_strength(group, known) for group in long]
    if not found.each:  # "Alder Lake-P GT2 [Iris Xe Graphics]": the surest name of the one product
        long = [group for group, strength in zip(long, strengths, strict=True) if strength == max(strengths)]
    altered = None
    for group in long:
        strange = _unknown_around(index, whole, group, found.chips)
        strange = strange or _said_again(group, found.chips, known) or _other_form(group, found.chips, known)
        if any(token.place == "model" for token in group):
            strange = strange or other_line((token.text for token in group), found.chips, known)
        strange = strange or (_other_line(group, found.chips, known) if whole.name_like else ())
        memory, wrong = _memory(whole, group, found)
        if strange or wrong:
            return Placed(strange or wrong)
        altered = altered or memory
    return Placed((), altered, _line_alone(long))


def says_npu(text: str) -> bool:
    """Return whether a text is about an NPU."""
    lower = text.lower()
    return "npu" in words_in(lower) or any(name in lower for name in _NPUS)


def _taken_apart(index: Index, text: str, own: Own) -> _Text:
    known = vocabulary_of(index)
    text = respelt(text, known)
    words = tokens_of(index, text, own)
    others = [token for token in words if token.place not in NAME]
    prose = any(token.lower in known.prose and len(token.text) > 1 for token in others)
    partner = any(token.lower in known.partners for token in words)
    modified = any(
        token.lower == word or (not word.isascii() and word in token.lower)
        for token in words
        for word in known.modified
    )
    return _Text(text, words, len(others) <= _MOST_NAME_WORDS and not prose, partner, modified)


def _unknown_around(index: Index, whole: _Text, group: list[Token], chips: tuple[Chip, ...]) -> tuple[str, ...]:
    """Return the words that make a name another maker's, another product's or something else's; () if none do."""
    known, words = vocabulary_of(index), whole.words
    strength = _strength(group, known)
    things = ("other-thing", "stranger") if whole.name_like else ("other-thing",)
    if strength < LINE and (strange := tuple(token.text for token in words if token.place in things)):
        return strange
    first, last = words.index(group[0]), words.index(group[-1])
    places = [n for n in range(first) if words[n].lower not in _OF_COMPANIES]
    before = words[places[-1]] if places and whole.joined(words[first - 1], group[0]) else None
    said = [token for token in group if token.place == "portable"]
    if said and (strength < LINE or said[0] is not group[0]) and not _may_be_portable(chips, known):
        return (group[-1].text,)  # "ThinkPad P40", "L40S Mobile"
    edition = before is not None and whole.partner and before.lower in known.editions
    if before is not None and not edition and _is_foreign(index, before, strength, whole.name_like):
        return (before.text,)
    if strength < LINE and (other := _other_before(whole, first)) is not None:
        return (other.text,)
    behind = words[last + 1] if words[last + 1 :] and whole.joined(group[-1], words[last + 1]) else None
    in_bracket = len(group) > 1 and not whole.joined(group[-2], group[-1])
    if behind is None or in_bracket or whole.partner:
        return ()
    if behind is words[-1] and behind.text.isdecimal() and whole.text.rstrip().endswith(behind.text):
        return _bare_number(group[-1], behind, chips, known)
    hyphen = whole.text[group[-1].end : behind.start] == "-"
    if not hyphen and not behind.place and _is_of_a_sentence(behind.text, group, known):
        return ()
    return (behind.text,) if _alters(behind, hyphen, whole.name_like, known) else ()


def _is_of_a_sentence(word: str, group: list[Token], known: Vocabulary) -> bool:
    """Return whether an unknown word is not written like a product suffix: "passiv" after "H100", "중고".

    Makers write suffixes in Latin letters and in the name's case; suffixes in other scripts are all known.
    """
    if not word.isalpha() or any(sign in word for sign in known.telling):
        return False
    if not word.isascii():
        return not any(map(str.isupper, word))
    large = any(map(str.isupper, "".join(token.text for token in group)))
    return large and word.islower() and len(word) > _LONGEST_SUFFIX


def _other_before(whole: _Text, first: int) -> Token | None:
    """Return a maker or kind of other things whose own name extends up to this one: "Mellanox ConnectX-7 H100"."""
    for place in reversed(range(first)):
        word, behind = whole.words[place], whole.words[place + 1]
        if not whole.joined(word, behind):
            return None
        if word.place in ("stranger", "network"):
            return word
        if word.place not in ("", "number"):
            return None
    return None


def _groups(whole: _Text, wanted: str) -> list[list[Token]]:
    """Return each run of name words with one in the wanted role, or two of the same line."""
    runs: list[list[Token]] = []
    last: Token | None = None
    for token in whole.words:
        if token.place in NAME:
            if last is not None and last.place in NAME and whole.joined(last, token, token.place == "memory"):
                runs[-1].append(token)
            else:
                runs.append([token])
        last = token
    places = [[token.place for token in run] for run in runs]
    return [run for run, said in zip(runs, places, strict=True) if wanted in said or said.count("line") > 1]


def _line_alone(groups: list[list[Token]]) -> str:
    """Return the word of the only name, if it is one word without a number and nothing else specifies the product."""
    said = [token for group in groups for token in group]
    models = [token.lower for token in said if token.place == "model"]
    more = any(token.place in ("line", "form", "memory", "slice") for token in said)
    return models[0] if len(models) == 1 and models[0].isalpha() and not more else ""


def _strength(group: list[Token], known: Vocabulary) -> int:
    """Return how certainly a group's words are a product's name."""
    words = [part for token in group for part in parts_of(token.lower, known)]
    lettered = [word for word in words if has_digit(word) and not memory_word(word)]
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
        if (word in known.alone and word not in known.homonyms) or (letters > 1 and has_digit(word)):
            return SIGN
        if word.isdecimal() and after in known.backs:
            return SIGN
    return WEAK if lettered else SIGN


def _is_foreign(index: Index, word: Token, strength: int, name_like: bool) -> bool:
    """Return whether the word right before a name is another maker's, or unknown and the name alone is not proof."""
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
    """Return whether the word right after a name may make it another product's."""
    if word.place == "suffix":
        return len(word.text) > 1 or (name_like and word.text.isupper())
    if word.place == "number":  # "H20-3e", but "T4 45C" and "A100-8x"
        unit = word.lower.lstrip("0123456789")
        return hyphen and unit.isalpha() and unit not in known.units and unit not in ("x", "m")
    return name_like and not word.place


def _bare_number(last: Token, number: Token, chips: tuple[Chip, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return a number at the end of a text right after a name, unless it is an index ("GPU 2") or the memory size."""
    sizes = {round(chip.memory_bytes / 2**30) for chip in chips if chip.memory_bytes}
    return () if last.lower in known.numbered or int(number.text) in sizes else (number.text,)


def _said_again(group: list[Token], chips: tuple[Chip, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return the final suffix of a name that already has it: "Radeon Pro 5500 XT Pro"; () if there is none."""
    last, others = group[-1].lower, [token.lower for token in group[:-1]]
    if last not in others or last not in known.suffixes:
        return ()
    names = (words_of(name, known) for chip in chips for name in (chip.name, *chip.aliases))
    return () if any(name.count(last) > 1 for name in names) else (group[-1].text,)


def _is_short(group: list[Token], known: Vocabulary) -> bool:
    """Return whether a name is only a number of one or two digits, without its line's word."""
    if any(one.place == "line" or (one.place == "maker" and one.lower not in known.homonyms) for one in group):
        return False
    said = [part for token in group if token.place == "model" for part in parts_of(token.lower, known)]
    return all(part.isalpha() or (part.isdecimal() and len(part) < _FEWEST_DIGITS) for part in said) and any(
        map(str.isdecimal, said)
    )


def _other_form(group: list[Token], chips: tuple[Chip, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return the form in a name that none of its products has: "NVL" in "H100 NVL 80GB"; () if there is none."""
    said = [token for token in group if token.lower in known.forms and token.lower not in _ANY_FORM]
    told = {token.lower.rstrip("0123456789") for token in said}
    for chip in chips if said else ():
        own = {word.rstrip("0123456789") for word in words_of(chip.name, known) if word in known.forms} - _ANY_FORM
        socketed = _SOCKET not in told or (chip.marketed_for_datacenter and chip.mig_instances_max != 0)
        carded = _CARD not in told or known.modules.isdisjoint(words_of(chip.name, known))
        if (not own and socketed and carded) or own & told:
            return ()
    return (said[0].text,) if said else ()


def _other_line(group: list[Token], chips: tuple[Chip, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return the line's word in a name that none of its products is sold under: "GTX" of "GTX 3090"; () without one."""
    lines = known.series - known.lettered
    said = [(token.text, lines.intersection(parts_of(token.lower, known))) for token in group]
    told = {line for _, each in said for line in each}
    for chip in chips if told else ():
        names = (chip.name, *chip.aliases, *chip.families)
        own = lines.intersection(word for name in names for word in words_of(name, known))
        if not own or own & told:
            return ()
    return tuple(text for text, each in said if each)


def other_line(words: Iterable[str], chips: tuple[Chip, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return the word of a line in which none of the products is: "Jetson" of "Jetson H100"; () without one."""
    for word in words:
        line, segments = word.lower(), known.lines.get(word.lower())
        if segments and not any(
            chip.segment in (None, *segments) or any(line in name.lower() for name in (chip.name, *chip.aliases))
            for chip in chips
        ):
            return (word,)
    return ()


def _memory(whole: _Text, group: list[Token], found: Named) -> tuple[int | None, tuple[str, ...]]:
    """Return the GiB of an altered card, and the memory size in a name that none of its products has."""
    said = [token for token in (whole.words if whole.modified else group) if token.place == "memory"]
    told = max((int(each[1]) for token in said if (each := re.search(r"(\d{1,4})", token.text))), default=None)
    sizes = [(chip, chip.memory_bytes / 2**30) for chip in found.chips if chip.memory_bytes]
    divided = found.part or any(token.place == "slice" for token in group)
    if told is None or not sizes or divided or _is_hosts(whole, said[-1]):
        return None, ()
    together = 1 if whole.modified else found.times or 1  # "two modded 2080 Ti 22G" have 22 GiB each
    fits = {size / each for chip, size in sizes for each in (1, chip.devices, 1 / together)}
    if any(_LEAST_MEASURED <= told / size <= _MOST_MEASURED for size in fits):
        return None, ()
    if any("unified" in (chip.memory_type or "") and told <= size for chip, size in sizes):
        return None, ()
    if any(_is_called(chip, told) and _is_professional(chip) for chip in found.chips):
        return None, ()  # GH200's driver reports the size of the CPU's memory
    sold = any(_is_called(chip, told) or round(size) * _DOUBLE == told for chip, size in sizes)
    if sold and not any(_is_professional(chip) for chip, _ in sizes):
        return told, ()
    return None, (f"{told}GB",)


def _is_hosts(whole: _Text, memory: Token) -> bool:
    """Return whether the word after a memory size says that it belongs to something else."""
    behind = next((token.lower for token in whole.words if token.start >= memory.end), "")
    return behind in _OF_OTHERS


def _may_be_portable(chips: tuple[Chip, ...], known: Vocabulary) -> bool:
    """Return whether one of the products can be in a laptop: not a server or workstation card, unless named so."""
    names = (words_of(chip.name, known) for chip in chips)
    return not all(map(_is_professional, chips)) or any(not known.portable.isdisjoint(name) for name in names)


def _is_called(chip: Chip, gib: int) -> bool:
    return any(f"{gib}gb" in name.lower().replace(" ", "") for name in (chip.name, *chip.aliases, *chip.families))


def _is_professional(chip: Chip) -> bool:
    return bool(chip.marketed_for_datacenter) or chip.segment == "workstation"
