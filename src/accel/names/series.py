"""Names of many products at once: a series, a generation, a maker's whole line.

Seen    "RTX 40 series"  "40系显卡"  "RTX 30xx"  "Radeon HD 7900 Series"  "Arc A-series"  "M3 family"  "Ampere GPUs"

The text does not say which product is meant, so all of them are returned. A word that is neither in a product's
name nor means "series" makes the text unknown.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.model.chip import Chip
from accel.model.rates import by_speed
from accel.names.index import Index, vocabulary_of
from accel.names.search import records
from accel.names.tokens import brand_of, raw_words, words_of

if TYPE_CHECKING:
    from accel.names.catalog import Catalog

_MARKS: Final = frozenset(("series", "family", "lineup", "line", "range", "系列", "系", "代", "家族"))
_AROUND: Final = frozenset(
    (
        *(
            "gpu",
            "gpus",
            "card",
            "cards",
            "architecture",
            "arch",
            "generation",
            "gen",
            "based",
            "class",
            "chips",
            "chip",
        ),
        *("accelerator", "accelerators", "any", "all", "the", "an", "or", "newer", "graphics", "架构"),
    )
)
_NTH: Final = ("first", "second", "third", "fourth", "fifth")
_ORDINALS: Final = {
    sign: nth
    for signs in ("12345", ("1st", "2nd", "3rd", "4th", "5th"), ("i", "ii", "iii", "iv", "v"), "一二三四五", _NTH)
    for sign, nth in zip(signs, _NTH, strict=True)
}  # of a maker's generations: "Kunlun 2"
_RESOURCE: Final = re.compile(r"((?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10})/([a-z]{2,20})", re.IGNORECASE)
_LONGEST: Final = 60
_MOST_WORDS: Final = 8
_FEW: Final = 40  # products of a maker that its name alone may mean
_ROUND: Final = re.compile(r"00[a-z]?\b|\b\d{2}\b", re.IGNORECASE)
_MASKED: Final = re.compile(r"[a-z]{1,4}\d{1,2}xx{1,2}|[a-z]{2,4}\d{1,2}x|\d{2}xx|\dxxx")


def of_line(catalog: "Catalog", index: Index, word: str, chip: Chip) -> tuple[Chip, ...]:
    """Return all products whose names start with a line's word that appears alone: "titan".

    () if it is the chip's own.
    """
    if word in (name.lower() for name in (chip.name, *chip.aliases)):
        return ()
    found: dict[str, Chip] = {}
    for each in (index, catalog.outlines()):
        numbers = [number for key in each["names"] if key.partition(" ")[0] == word for number in each["names"][key]]
        found |= {one.name: one for one in records(catalog, each, numbers) if one.name not in found}
    return tuple(sorted(found.values(), key=by_speed))


def says_series(text: str) -> bool:
    """Return whether the text has a word for a series: this takes precedence over a name that starts the same way."""
    return any(mark in text.lower() for mark in ("series", "family", "系"))


def series_in(catalog: "Catalog", index: Index, text: str) -> tuple[Chip, ...]:
    """Return the products of the series or generation in the text, fastest first; () if there is none."""
    if len(text) > _LONGEST:
        return ()
    words = _words(text, index)
    if not 0 < len(words) <= _MOST_WORDS:
        return ()
    found = tuple(_of_generation(catalog, index, words)) or _of_maker(catalog, index, text, words)
    for each in (index, catalog.outlines()) if not found else ():
        found = _of_series(catalog, each, words, brand_of(text, vocabulary_of(index)))
        if found:
            break
    return tuple(sorted(found, key=by_speed))


def of_resource(catalog: "Catalog", index: Index, text: str) -> tuple[Chip, ...]:
    """Return the products that a pod requests by its maker's name: "habana.ai/gaudi" is any Gaudi; () if too many."""
    found = _RESOURCE.fullmatch(text)
    known = vocabulary_of(index)
    makers = (
        {known.brands[word] for word in re.split(r"[.-]", found[1].lower()) if word in known.brands} if found else ()
    )
    chips = tuple(chip for maker in makers for chip in catalog.chips(maker))
    word = found[2].lower() if found else ""
    named = tuple(
        c for c in chips if any(n.lower().startswith(word) for n in (c.name, *c.aliases, c.architecture or ""))
    )
    some = named or chips
    return tuple(sorted(some, key=by_speed)) if len(some) <= _FEW else ()


def _words(text: str, index: Index) -> list[str]:
    """Return the words of the text, with a marker attached to a number split off: "40系", "a-series"."""
    spaced = re.sub(r"(?<=[\d一二三四五])(?=系|代)|(?<=系列)(?=\S)|第", " ", text.lower().replace("-", " "))
    said = [
        word
        for raw in raw_words(spaced, vocabulary_of(index))
        for word in words_of(raw, vocabulary_of(index)) or (raw,)
    ]
    return [word for word in said if word not in _AROUND]


def is_round(text: str) -> bool:
    """Return whether a number in the text ends in zeros, like a series: "HD 8500 Series", but not "550X Series"."""
    return bool(_ROUND.search(text))


def _of_generation(catalog: "Catalog", index: Index, words: list[str]) -> Iterator[Chip]:
    """Yield the chips of the generation in the words, if there is nothing else besides its maker."""
    brands = vocabulary_of(index).brands
    whole = "".join(word for word in words if word not in _MARKS).replace(".", "")
    if "generations" not in index:
        index["generations"] = [
            (table["vendor"], [(row["name"], _spellings(row)) for row in table["architectures"]])
            for _, table in catalog.tables("", "/architectures", depth=1)
        ]
    for vendor, rows in index["generations"]:
        own = any(brands.get(word) == vendor for word in words)
        said = "".join(word for word in words if word not in _MARKS and brands.get(word) != vendor)
        said = f"{_ORDINALS[said]}generation" if own and said in _ORDINALS else said
        for name, spellings in rows:
            if said and not spellings.isdisjoint((said, whole)):
                yield from (c for c in catalog.chips(vendor) if c.architecture == name)


def _spellings(row: dict[str, Any]) -> set[str]:
    names = [row["name"], *(row.get("aliases") or ()), *re.split(r"[(),/:]", row.get("title") or "")]
    spelt = {"".join(sign for sign in name.lower() if sign.isalnum()) for name in names}
    return {name for name in spelt if len(name) > 2 and not name[:-1].isdecimal()} | {re.sub(r"2$", "", row["name"])}


def _of_maker(catalog: "Catalog", index: Index, text: str, words: list[str]) -> tuple[Chip, ...]:
    """Return all chips of a maker with few, if the text has only its name."""
    known = vocabulary_of(index)
    vendor = brand_of(text, known)
    others = [word for word in words if word not in _MARKS and word not in known.brands and word not in known.silent]
    found = catalog.chips(vendor) if vendor is not None and not others else ()
    return found if len(found) <= _FEW else ()


def _of_series(catalog: "Catalog", index: Index, words: list[str], vendor: str | None) -> tuple[Chip, ...]:
    """Return the products whose names have the words and a number of the series given by the last number."""
    marked = any(word in _MARKS for word in words)
    known = vocabulary_of(index)
    masks = [(place, mask) for place, word in enumerate(words) if (mask := _mask(word, marked)) is not None]
    place, mask = masks[-1] if masks else (-1, "")
    plain = [w for n, w in enumerate(words) if n != place and w not in _MARKS and w not in known.silent]
    telling = mask[1:2] not in ("", "\\") or any(not word.isdecimal() for word in plain)
    if not (marked or mask) or not telling:
        return ()
    number = re.compile(mask) if mask else None
    found: dict[int, None] = {}
    for key in index["names"]:
        own = key.split()
        if all(word in own for word in plain) and (number is None or any(number.fullmatch(each) for each in own)):
            found |= dict.fromkeys(index["names"][key])
    wanted = (n for n in found if vendor in (None, index["entries"][n][0]))
    return tuple(records(catalog, index, wanted))


def _mask(word: str, marked: bool) -> str | None:
    """Return a pattern for the words that a series word covers; None if it is not a number or letter of a series.

    >>> _mask("40", True), _mask("30xx", False), _mask("7900", True), _mask("a", True), _mask("mi3xx", False)
    ('40[1-9]0[a-z]*', '30[1-9]0[a-z]*', '79\\\\d{2}[a-z]*', 'a\\\\d+[a-z]*', 'mi3\\\\d{2}[a-z]*')
    """
    if _MASKED.fullmatch(word):
        told = word.rstrip("x")
        places = len(word) - len(told)
        return (
            rf"{told}[1-9]0[a-z]*" if told.isdecimal() and len(told) == places == 2 else rf"{told}\d{{{places}}}[a-z]*"
        )
    if not marked:
        return None
    if len(word) == 1 and word.isascii() and word.isalpha():
        return rf"{word}\d+[a-z]*"
    head, digits, tail = _parted(word)
    if len(digits) < (1 if head else 2) or len(head) > 2:
        return None
    if len(digits) == 2 and not head:
        return rf"{digits}[1-9]0{tail}[a-z]*"
    bare = digits.rstrip("0") or digits
    return (
        rf"{head}{bare}\d{{{len(digits) - len(bare)}}}{tail}[a-z]*"
        if bare != digits
        else rf"{head}{digits}{tail}[a-z]*"
    )


def _parted(word: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([a-z]{0,3})(\d{1,4})([a-z]?)", word)
    return (found[1], found[2], found[3]) if found else ("", "", "")
