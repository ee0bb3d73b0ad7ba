"""The one name in a sentence, and whether all words around it are understood.

Seen    "my laptop has a 4060"  "I have a 3060 12gb"  "RTX 4070, driver 550.54.14, CUDA 12.4, Ubuntu 22.04"
        "i9-13900K, 64GB DDR5, RTX 4090 24GB"  "GPU 0: Tesla T4 (UUID: GPU-…) 45C 70W"
        "we ran it on 8 A100s with 80GB each"

A word is either used or known to be irrelevant: software with its version, the rest of the machine, an
amount of something else, an address, a word without a digit in no product's name. Any other word makes the name
unknown, and is reported.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, field
from accel.names.aside import is_neutral, looks_like
from accel.names.counts import number_before, number_behind
from accel.names.index import Index, vocabulary_of
from accel.names.names_in_text import outline_names
from accel.names.pasted import laptop_spelt
from accel.names.tokens import respelt
from accel.text.pattern import pattern
from accel.text.words import Words

if TYPE_CHECKING:
    from accel.names.catalog import Catalog
    from accel.names.products import NamedProduct

_MOST_WORDS: Final = 60
_FEWEST_DIGITS: Final = 4  # of a bare number that is a name: "4090"
_TOKEN: Final = pattern(r"[^\W_]+(?:[._+'-][^\W_]+)*\+?")
_NUMBER: Final = pattern(r"v?(\d{1,7}(?:\.\d{1,7})*(?:[.+-][a-z0-9]{1,12}){0,2})")
_AMOUNT: Final = pattern(r"(\d{1,6}(?:\.\d{1,3})?)-?([^\W\d_]{1,10})")
_ADDRESS: Final = pattern(
    r"(?:gpu-|mig-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<!\w)(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f](?!\w)|(?<!\w)0x[0-9a-f]{1,16}(?!\w)"
    r"|(?<!\w)(?:pci\\)?ven_[0-9a-f]{4}&dev_[0-9a-f]{4}[\w&]{0,60}|(?<![\w:])[0-9a-f]{4}:[0-9a-f]{4}(?![\w:])"
    r"|(?<!\w)(?:cuda|gpu|device|xpu|npu|hip|mps):\d{1,3}(?!\w)|[$€£¥] ?\d[\d,.]{0,9}k?(?:-\d[\d,.]{0,9}k?)?"
    r"|(?<![\w.])\d[\d.,]{0,7} ?[kmgt]i?b(?:/s|ps)(?!\w)"
)
_REGISTERED: Final = pattern(r"\((?:r|tm|c)\)|[®™]")
_CLAUSE_END: Final = pattern(
    r"[,;:()\[\]{}|/\"'`—–!?，。；：（）、·•]|\*\*|\.(?=\s|$)| - | (?:y|e|et|und|и|con|mit|avec|для|на"
    r"|on|in|at|for|from|by|with|and|or|via|using|es|est|ist|en|um|с|в"
    r"|running|versus|vs|than|to|is|has|that|which|was|were|where|while|when|because|but|so|if|as|under|per|each"
    r"|inside|from|through|及|在|的)(?= )"
)
_CODE: Final = pattern(
    r"(?:sm|compute|gfx|cc)[_-]?\d{2,4}[a-f]?|(?:bf|fp|tf|u?int|nvfp|mxfp)\d{1,2}|x(?:1|2|4|8|16)|gen[1-7]|i[3579]-?\d{3,5}[a-z]{0,3}\d?"
)
_GLUED: Final = pattern(r"(?<![\w.-])(\d{1,3}[x×*])(?=[a-z]{1,4}\d|\d{4})")
_TIMES_BEHIND: Final = pattern(r"(?<![\w.-])([a-z]{1,4}\d{1,4}[a-z]{0,2})x(\d{1,2})(?![\w.-])")
_CONTRACTED: Final = pattern(r"['’](?:t|s|d|re|ve|ll|m)$")
_ELIDED: Final = pattern(r"(?<!\w)[dl]['’](?=[^\W\d]{3})")  # French: "d'après"
_PLURAL: Final = pattern(r"(?<![\w.-])([a-z]{0,4}\d{1,4})'?s(?!\w)")
_EAST_ASIAN: Final = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SCRIPTS: Final = pattern(rf"(?<={_EAST_ASIAN})(?=[a-z0-9])|(?<=[a-z0-9])(?={_EAST_ASIAN})")
_LISTED: Final = pattern(r"(?<![\w.\\-])([a-z]{0,4}\d{1,4}[a-z]{0,5})/(?=[a-z]{0,4}\d{1,4}[a-z]{0,5}(?![\w/]))")
_LONGEST_PROCESSOR: Final = 6
_GRADES: Final = (
    "pro",
    "ai",
    "max",
    "max+",
    "gold",
    "silver",
    "platinum",
    "bronze",
    "ultra",
    "threadripper",
    "e",
    "w",
    "h",
    "r",
    "elite",
)
_MOST_PLACE_DIGITS: Final = 2
_CLOSE: Final = 3  # words after a name that may continue it
_MOST_GIB: Final = 640  # of one device; more is the host's
_GPU_CORES: Final = pattern(r"(?<![\w.-])(\d{1,2})(?:[ -](?:gpu|graphics)[ -]cores?|[ -]cores? (?:gpu|graphics))(?!\w)")
_GIB: Final = ("go", "гб", "g", "gb", "gi", "gib", "gig", "gigs", "gigabyte", "gigabytes")
_MIB: Final = ("m", "mb", "mib")
_SUMS: Final = frozenset(("total", "combined", "altogether", "overall"))
_LEAST_MIB: Final = 1000  # of memory that is called graphics memory
_EACH: Final = ("of", "each", "per", "system", "main")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a sentence says about a device.

    name     the text to parse as its name; None if there is none, or a word is not understood
    times    how many; None if not given
    more     whether words apart from the name identify the product: its memory, that it is a laptop's
    unknown  words that are not understood; aside: words that are irrelevant
    """

    name: str | None
    times: int | None = None
    more: bool = False
    aside: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(slots=True)
class _Around:
    """The meaning of the words around a name: that it is a laptop's, its GiB, nothing, or unknown."""

    portable: bool = False
    memory: list[int] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def spoken(catalog: "Catalog", index: Index, text: str) -> Spoken:
    """Return the only name in the text, with the related words around it."""
    known = vocabulary_of(index)
    text = respelt(text, known, only=known.laptops)
    text = _TIMES_BEHIND.sub(r"\1 x\2", _ELIDED.sub(" ", text))
    text = _singular(index, _GLUED.sub(r"\1 ", _REGISTERED.sub(" ", text)))
    words = Words(text)
    if not 0 < len(words) <= _MOST_WORDS:
        return Spoken(None)
    named = [one for one in catalog.product_names.in_words(words) if is_name(index, text, one)]
    named = named or [one for one in outline_names(catalog).in_words(words) if one.branded and not one.bare]
    if not named:
        return Spoken(None, unknown=_strange(index, text))
    if len({one.name for one in named}) > 1:
        between = {text[one.end : other.start].strip() for one, other in pairwise(named)}
        return Spoken(text[named[0].start : named[-1].end]) if between == {"/"} else Spoken(None)
    return _of_one(index, text, named)


def prepared(index: Index, text: str) -> str:
    """Return the text with each name as a separate word: no plural, slash, or East Asian character attached."""
    text = _TIMES_BEHIND.sub(r"\1 x\2", _ELIDED.sub(" ", text))
    text = laptop_spelt(_GLUED.sub(r"\1 ", _REGISTERED.sub(" ", text)))
    known = vocabulary_of(index)
    text = respelt(text, known, only=known.brands)  # "mac mini", "昇腾", which imply a maker
    text = _LISTED.sub(r"\1 / ", _SCRIPTS.sub(" ", text))
    words = (one for one in reversed(list(_TOKEN.finditer(text))) if one[0][-1:] == "s" and len(one[0]) > _CLOSE)
    for one in words:  # "PRO 6000 Blackwells"
        if is_variant(one[0][:-1], index, alike=False):
            text = text[: one.end() - 1] + text[one.end() :]
    return _singular(index, text, " cards")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words next to a name.

    unknown: following words that may belong to it; before: whether a preceding one does.
    """

    unknown: tuple[str, ...]
    before: bool


def surroundings(index: Index, text: str, start: int, end: int) -> Surroundings:
    """Return the unknown words around a name: the next one, and any in its clause that contains a model."""
    close, _ = _clause(_ADDRESS.sub(" ; ", text[end:]))
    models = frozenset(index["models"])
    first = _TOKEN.search(close)
    unknown = _around(index, close).unknown
    kept = [word for word in unknown if (first and word == first[0]) or _may_be_model(word, models)]
    return Surroundings(tuple(kept), bool(_beside(index, text[:start])))


def is_variant(word: str, index: Index, alike: bool = True) -> bool:
    """Return whether a word follows model numbers in names, or resembles one that does: "super", "supr"."""
    if "words behind numbers" not in index:
        pairs = (pair for key in index["names"] for pair in pairwise(key.split()))
        known = vocabulary_of(index)
        behind = {other for one, other in pairs if one[-1:].isdecimal() and other.isalpha()}
        index["words behind numbers"] = behind.union(known.backs, known.portable) - known.silent
    word = word.lower()
    variants: set[str] = index["words behind numbers"]
    return word in variants or any(alike and looks_like(word, other) for other in variants if len(other) > _CLOSE)


def _clause(behind: str) -> tuple[str, str]:
    """Return the few words after a name that may continue it, and the rest."""
    beside = _CLAUSE_END.search(behind)
    close, far = (behind[: beside.start()], behind[beside.start() :]) if beside else (behind, "")
    if len(words := list(_TOKEN.finditer(close))) > _CLOSE:
        close, far = close[: words[_CLOSE].start()], f"{close[words[_CLOSE].start() :]} {far}"
    return close, far


def _of_one(index: Index, text: str, named: "list[NamedProduct]") -> Spoken:
    first = named[0]
    said, before, behind = text[first.start : first.end], text[: first.start], text[first.end :]
    for again in named[1:]:
        behind = behind.replace(text[again.start : again.end], " ", 1)
    times, before = number_before(before)
    if times is None:
        times, behind = number_behind(behind)
    close, far = _clause(_ADDRESS.sub(" ; ", behind))
    if times == 0:
        return Spoken(None, times, unknown=("0",))
    around, rest = _around(index, close), _around(index, f"{_ADDRESS.sub(' ; ', before)} ; {far}")
    models = frozenset(index["models"])
    number = first.bare and not _is_written(index, said, first)
    strange = [*around.unknown, *(word for word in rest.unknown if number or _may_be_model(word, models))]
    strange += _beside(index, before)
    if strange or len({*around.memory, *rest.memory}) > 1:
        return Spoken(None, times, unknown=tuple(strange))
    around.aside += [*rest.aside, *rest.unknown]
    around.memory += rest.memory
    around.portable |= rest.portable
    more = [*(["laptop"] if around.portable else []), *(f"{gib}GB" for gib in around.memory[:1])]
    more += [f"{cores[1]}-core GPU"] if (cores := _GPU_CORES.search(behind)) else []
    bare = said.replace("(", " ").replace(")", " ")
    return Spoken(" ".join([bare, *more]), times, bool(more) or bare != said, tuple(around.aside))


def _may_be_model(word: str, models: frozenset[str]) -> bool:
    """Return whether a word belongs to a product's name, and is not a small number."""
    return word.lower() in models and not (word.isdecimal() and len(word) < _FEWEST_DIGITS)


def is_name(index: Index, text: str, one: "NamedProduct") -> bool:
    """Return whether a found name is one: a bare number has four digits, and no CPU's name before it.

    It may have fewer digits if the whole name is given: "Ascend 310", "Intel UHD 770"; "NVIDIA 535" is a driver.
    """
    if _is_written(index, text[one.start : one.end], one):
        return True
    before = [found[0].lower() for found in _TOKEN.finditer(text[: one.start])][-3:]
    return not one.bare or (one.digits >= _FEWEST_DIGITS and not vocabulary_of(index).processors.intersection(before))


def _is_written(index: Index, said: str, one: "NamedProduct") -> bool:
    """Return whether a name is given in full, or has a word that only one product line has: "UHD", "Vega"."""
    said, known = said.lower(), vocabulary_of(index)
    if said.endswith(one.name.lower()) and any(map(str.isalpha, one.name)):
        return True
    return one.branded and any(word in known.brands and word not in known.silent for word in said.split())


def _beside(index: Index, before: str) -> list[str]:
    """Return the word right before a name, if it distinguishes products: "HD" for "HD 6600M"."""
    known = vocabulary_of(index)
    words = before.split()
    last = words[-1].lower() if words else ""
    if "words before numbers" not in index:
        pairs = (pair for key in index["names"] for pair in pairwise(key.split()))
        index["words before numbers"] = frozenset(
            one for one, other in pairs if one.isalpha() and other[:1].isdecimal()
        )
    telling = last == "hd" or last in index["words before numbers"]
    if len(words) > 1 and words[-2].lower() in known.partners:
        return []  # "MacBook Pro M3"
    nothing = (known.silent, known.brands, known.prose, known.portable, known.forms, known.backs)
    return [words[-1]] if telling and not any(last in words for words in nothing) else []


def _around(index: Index, rest: str) -> _Around:
    """Return the meaning of all words in the rest of a text."""
    found = _Around()
    words = [one[0] for one in _TOKEN.finditer(rest)]
    place = 0
    while place < len(words):
        place += _next(index, words, place, found)
    return found


def _next(index: Index, words: list[str], place: int, found: _Around) -> int:
    """Record the meaning of the word at a place, and return how many words it takes."""
    known = vocabulary_of(index)
    lower = [word.lower() for word in words[place : place + _LONGEST_PROCESSOR]]
    word = lower[0]
    if (bare := word.removesuffix("s")) in known.portable:
        found.portable = True
        return 1
    if (amount := _amount(lower)) is not None and (
        taken := _measured(amount, words, place, found, known.units, known.host)
    ):
        return taken
    last = words[place - 1].lower() if place else ""
    of_place = last in known.numbered and word.isdecimal() and len(word) <= _MOST_PLACE_DIGITS
    if _CODE.fullmatch(word) or of_place or (last in known.software and _NUMBER.fullmatch(word)):
        taken = 1
    elif word in known.processors:
        taken = _of_processor(lower)
    elif _is_nothing(index, word, bare):
        taken = 1
    else:
        found.unknown.append(words[place])
        return 1
    found.aside += words[place : place + taken]
    return taken


def _of_processor(words: list[str]) -> int:
    """Return the number of words in a CPU's name that starts with the first: 4 for "ryzen 7 pro 6850u"."""
    taken = 1
    for word in words[1:]:
        digits = sum(map(str.isdigit, word))
        if not (digits or word in _GRADES):
            break
        taken += 1
        if digits > _MOST_PLACE_DIGITS:
            break
    return taken


def _is_nothing(index: Index, word: str, bare: str) -> bool:
    known = vocabulary_of(index)
    word = _CONTRACTED.sub("", word)
    if word.count("-") > 1 and any(map(str.isdigit, word)):
        return True  # what a model or a file is called: "qwen3-30b-a3b"
    if (
        word in known.software
        or word in known.host
        or word in known.numbered
        or bare in known.numbered
        or word in known.units
        or word.startswith(known.memory_types)
    ):
        return True
    if any(sign in word for sign in "-_'"):
        return all(_is_nothing(index, part, part) for part in re.split(r"[-_']", word) if part)
    return word in known.silent or word in known.brands or word in known.prose or is_neutral(word, index)


def _amount(words: list[str]) -> tuple[float, str, int] | None:
    """Return the number and unit at the start of the words, and how many words they take."""
    if glued := _AMOUNT.fullmatch(words[0].rstrip("+")):
        return float(glued[1]), glued[2].lower(), 1
    number = words[0].replace(",", "").rstrip("+")
    if (
        number.replace(".", "", 1).isdecimal()
        and number[0] != "."
        and len(words) > 1
        and words[1].rstrip("+").isalpha()
    ):
        unit = words[1].rstrip("+")
        return float(number), unit if unit.isascii() or unit in _GIB else unit[0], 2
    return None


def _measured(
    amount: tuple[float, str, int],
    words: list[str],
    place: int,
    found: _Around,
    units: frozenset[str],
    host: frozenset[str],
) -> int:
    """Record an amount of memory or of something else, and return how many words it takes; 0 if it is not a unit."""
    number, unit, taken = amount
    at_least = words[place + taken - 1].endswith("+")
    gib = number if unit in _GIB else number / 1024 if unit in _MIB and number >= _LEAST_MIB else None
    beside = [
        word.lower()
        for word in (*reversed(words[max(place - 2, 0) : place]), *words[place + taken : place + taken + 3])
    ]
    beside = [word for word in beside if word not in _EACH]
    if gib is not None and (at_least or gib > _MOST_GIB or _SUMS.intersection(beside)):
        found.aside += words[place : place + taken]
        return taken
    if gib is not None and not host.intersection(beside[:3]):
        found.memory.append(round(gib))
        return taken
    if gib is None and unit not in units and unit not in ("tb", "t"):
        return 0
    found.aside += words[place : place + taken]
    return taken


def _singular(index: Index, text: str, instead: str = "") -> str:
    """Return the text with plurals of names replaced, unless such a product exists: "A100s", but "L40S"."""
    models = frozenset(index["models"])
    plural = [one for one in _PLURAL.finditer(text) if one[0].lower() not in models and one[1].lower() in models]
    for one in reversed(plural):
        text = text[: one.end(1)] + instead + text[one.end() :]
    return text


def _strange(index: Index, text: str) -> tuple[str, ...]:
    """Return the words with a digit that are in no product's name: they prevent understanding the text."""
    models = frozenset(index["models"])
    words = (found[0] for found in _TOKEN.finditer(text))
    return tuple(word for word in words if any(map(str.isdigit, word)) and word.lower() not in models)[:4]
