"""What a name written by a person can mean: all chips with that name, and suggestions."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from accel.model.chip import Chip, make_chip
from accel.model.rates import by_speed
from accel.names.index import Index, find, name_words, vocabulary_of
from accel.names.tokens import (
    Name,
    Words,
    brand_of,
    contradict,
    core,
    names_in,
    other_memory,
    without_generation,
    without_portable,
    without_series,
    words_of,
)
from accel.names.vocabulary import Vocabulary

if TYPE_CHECKING:
    from accel.names.catalog import Catalog

_MOST_WORDS = 9  # of a product's name
_ENOUGH = 0.55  # similarity, 0 to 1, below which a name is not suggested


def candidates(catalog: "Catalog", index: Index, name: str, vendor: str | None) -> tuple[Chip, ...]:
    """Return every chip that the name can mean, fastest first; just one if it is exactly one chip's name."""
    entries, words = index["entries"], vocabulary_of(index)
    found = find(index, name, vendor)
    if "/" in name and not all(any(entries[n][3] is not None for n in meaning) for meaning in found):
        found = []  # of "T4/V100" the second has no record of that very name, but kin
    for numbers in (
        (number for meaning in found for number in meaning),
        _described(index, name, vendor),
        _respelt(index, name, vendor),
        _described(index, name, vendor, as_meant=True),
        _reordered(index, name, vendor),
    ):
        known = dict.fromkeys(number for number in numbers if entries[number][3] is not None)
        if known:
            break
    return _told(records(catalog, index, known), name, words)


def literal(chips: tuple[Chip, ...], name: str) -> tuple[Chip, ...]:
    """Return the chips whose names have most of the given words and no others; if tied, all of them.

    Words that do not distinguish records can distinguish outlines: "GT 640 OEM" is not the "GT 640".
    """
    told = set("".join(" " if sign in "()[]" else sign for sign in name.lower()).split())
    said = [(chip, set(chip.name.lower().split())) for chip in chips]
    inside = [(chip, words) for chip, words in said if len(words - told) == min(len(w - told) for _, w in said)]
    most = max((len(words & told) for _, words in inside), default=0)
    return tuple(chip for chip, words in inside if len(words & told) == most)


def outlined(catalog: "Catalog", outlines: Index, name: str) -> tuple[Chip, ...]:
    """Return the products without figures that a name means; a trailing "Mobile" is ignored if no name has it."""
    known = vocabulary_of(outlines)
    words = words_of(name, known)
    brand = brand_of(name, known)
    if brand is None and "".join(words).isdecimal():
        return ()  # "210" alone is seldom a GeForce
    if found := candidates(catalog, outlines, name, None):
        return literal(found, name) if len(names_in(name, known)) == 1 else found
    bare = " ".join(without_portable(words, known))
    if not any(map(str.isdigit, bare)) or len(bare) == len(" ".join(words)) or catalog.find(bare, brand):
        return ()
    known_so = (text for text in (f"{bare}m", bare) if text in outlines["names"])
    return next(
        (found for text in known_so if (found := literal(candidates(catalog, outlines, text, brand), text))), ()
    )


def portable(catalog: "Catalog", index: Index, name: str) -> tuple[Chip, ...]:
    """Return the only existing form of a product, if a name says, or omits, that it is mobile.

    "RTX 4050" and "RTX 3070 Max-Q" are laptop GPUs; "Iris Xe Graphics Mobile" is what every Iris Xe is.
    """
    known = vocabulary_of(index)
    wanted = brand_of(name, known)
    parts = names_in(name, known)
    bare = without_portable(parts[0].words, known) if len(parts) == 1 else ()
    if not bare:
        return ()
    for word in ("laptop", "mobile", "maxq"):
        if word == "maxq" and word not in parts[0].words:
            continue  # the name of desktop cards too
        if numbers := list(_described_by(index, Name((*bare, word)), wanted, False)):
            return _told(records(catalog, index, numbers), name, known)
    mobile = [
        chip for chip in records(catalog, index, _described_by(index, Name(bare), wanted, False)) if _is_mobile(chip)
    ]
    return _told(mobile, name, known) if len(bare) < len(parts[0].words) else ()


def with_endings(catalog: "Catalog", index: Index, name: str) -> tuple[Chip, ...]:
    """Return the products with one more suffix, if no product has the plain name: the XTX and others for "RX 7900"."""
    known = vocabulary_of(index)
    wanted = brand_of(name, known)
    words = words_of(name, known)
    if len(words) != 2 or not words[1].isdecimal() or len(words[1]) < 4:
        return ()
    numbers = (n for back in known.backs for n in _described_by(index, Name((*words, back)), wanted, False))
    return _told(records(catalog, index, numbers), name, known)


def _is_mobile(chip: Chip) -> bool:
    """Return whether a chip is integrated graphics, or a laptop's according to the letter after its number."""
    return chip.segment == "soc" or bool(re.search(r"\d[ms]\b", chip.name.lower()))


def records(catalog: "Catalog", index: Index, numbers: Iterable[int]) -> list[Chip]:
    """Return the chips of these entries without duplicates, and without entries that have no record."""
    found: list[Chip] = []
    for number in dict.fromkeys(numbers):
        table_name, position = index["entries"][number][3:5]
        table = catalog.table_at(table_name) if table_name is not None else None
        if table is not None:
            found.append(make_chip(table["chips"][position], table))
    return found


def _told(found: list[Chip], name: str, words: Vocabulary) -> tuple[Chip, ...]:
    """Return the chips compatible with the memory and form in the name.

    Only the one with that name, if there is one.
    """
    of_memory = [chip for chip in found if not other_memory(chip, name, words)]
    parts = [part.words for part in names_in(name, words)]
    told = [c for c in of_memory if not any(contradict(words_of(c.name, words), part, words) for part in parts)]
    of_memory = told or of_memory or [chip for chip in found if _is_doubled(chip, name, words)]
    exact = [chip for chip in of_memory if words_of(chip.name, words) == words_of(name, words)]
    shared = [chip for chip in of_memory if chip not in exact and _bears(chip, name, words)]
    return tuple(exact) if len(exact) == 1 and not shared else tuple(sorted(of_memory, key=by_speed))


def _is_doubled(chip: Chip, name: str, known: Vocabulary) -> bool:
    """Return whether the name states twice the chip's memory: cards are resold with that much ("3080 20G")."""
    said = {part.memory_gib for part in names_in(name, known)}
    sold_again = not chip.marketed_for_datacenter and chip.segment != "workstation"
    return sold_again and said == {round((chip.memory_bytes or 0) / 2**29)}


def _bears(chip: Chip, name: str, known: Vocabulary) -> bool:
    """Return whether the exact name is another of the chip's names, which it may share with similar chips."""
    wanted = words_of(name, known)
    spellings = (wanted, without_series(wanted, known))
    names = (words_of(other, known) for other in (*chip.aliases, *chip.families))
    return any(words in spellings or without_series(words, known) in spellings for words in names)


def _described(index: Index, name: str, vendor: str | None, as_meant: bool = False) -> list[int]:
    """Return the entries whose names only add descriptions: "H100" names no product, "H100 PCIe" does.

    as_meant  without the generation of the form: "H100 SXM4" means the H100 that is an SXM
    With several alternatives ("MI250X/MI250"), each must be known.
    """
    known = vocabulary_of(index)
    wanted = vendor or brand_of(name, known)
    found = [list(_described_by(index, part, wanted, as_meant)) for part in names_in(name, known)]
    return [number for each in found for number in each] if all(found) else []


def _described_by(index: Index, part: Name, wanted: str | None, as_meant: bool) -> Iterator[int]:
    known = vocabulary_of(index)
    told = without_generation(part.words, known) if as_meant else part.words
    for words in (core(told, known), without_series(core(told, known), known)):
        for key in (k for k in _of_core(index, words) if not contradict(tuple(k.split()), told, known)):
            for number in index["names"].get(key, ()):
                if wanted in (None, index["entries"][number][0]):
                    yield number


def _of_core(index: Index, words: Words) -> tuple[str, ...]:
    key = " ".join(words)
    return (key, *index["cores"].get(key, ())) if words else ()


def _respelt(index: Index, name: str, vendor: str | None) -> Iterator[int]:
    """Yield the entries of names that differ only in spaces ("m3max"), or that write S for SUPER ("4070 Ti S")."""
    known = vocabulary_of(index)
    wanted = vendor or brand_of(name, known)
    told = words_of(name, known)
    if not _may_be_name(index, told) or any(
        one[-1].isdecimal() and other[0].isdecimal() for one, other in pairwise(told)
    ):
        return  # "40-60 million" is not a 4060
    joined = {"".join(told), "".join(core(told, known))}  # what describes the memory sorts the products out later
    spellings = {*joined, *(re.sub(r"(?<=\d{4})(?:(ti)?s|s(ti))$", r"\1\2super", text) for text in joined)} - {""}
    if "joined names" not in index:
        index["joined names"] = _grouped(index["names"], lambda key: key.replace(" ", ""))
    keys = [key for spelling in spellings for key in index["joined names"].get(spelling, ())]
    if "hl" in told:
        keys += [key for key in index["names"] if "".join(core(tuple(key.split()), known)) in spellings]
    for key in dict.fromkeys(keys):
        yield from (n for n in index["names"][key] if wanted in (None, index["entries"][n][0]))


def _may_be_name(index: Index, told: Words) -> bool:
    """Return whether a few words can be a name with different spacing: its longer words are in names."""
    words = (word for word in told if word.isalpha() and len(word) > 2)
    return len(told) <= _MOST_WORDS and name_words(index).issuperset(words)


def _grouped(names: Iterable[str], group: Callable[[str], str]) -> dict[str, list[str]]:
    """Return the names grouped by a key function."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(group(name), []).append(name)
    return found


def _reordered(index: Index, name: str, vendor: str | None) -> Iterator[int]:
    """Yield the entries of names with the same words in another order: "4000 Ada SFF", "Laptop RTX 4060"."""
    known = vocabulary_of(index)
    wanted = vendor or brand_of(name, known)
    told = words_of(name, known)
    if (
        len(told) < 2
        or not name_words(index).issuperset(told)
        or (len(told) == 2 and not (told[0].isdecimal() and len(told[0]) == 4 and told[1].isalpha()))
    ):
        return  # "6000 pro", but no "pro 575"
    if "sorted names" not in index:
        index["sorted names"] = _grouped(index["names"], lambda key: " ".join(sorted(key.split())))
    for spelling in dict.fromkeys(" ".join(sorted(words)) for words in (told, without_series(told, known))):
        for key in index["sorted names"].get(spelling, ()):
            yield from (n for n in index["names"][key] if wanted in (None, index["entries"][n][0]))


def suggestions(catalog: "Catalog", index: Index, name: str, most: int) -> tuple[str, ...]:
    """Return names of similar chips, most likely first."""
    known = vocabulary_of(index)
    wanted = words_of(name, known)
    text = "".join(_model(wanted, known)) or "".join(name.lower().split())
    scored: dict[str, float] = {}
    for chip in catalog.chips():
        for alias in (chip.name, *chip.aliases, *chip.families):
            words = words_of(alias, known)
            score = max(_likeness(text, "".join(_model(words, known))), _share(core(wanted, known), words))
            scored[chip.name] = max(score, scored.get(chip.name, 0.0))
    least = max(_ENOUGH, max(scored.values(), default=0.0) - 0.2)
    likely = [item for item in scored.items() if item[1] >= least]
    return tuple(chip for chip, _ in sorted(likely, key=lambda item: -item[1])[:most])


def _model(words: tuple[str, ...], known: Vocabulary) -> tuple[str, ...]:
    """Return the words of a name that tell the model, without maker, line, form and memory; all, if none does."""
    return tuple(word for word in core(words, known) if word not in known.brands) or words


def _likeness(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < _ENOUGH:
        return 0.0
    same_figures = "".join(filter(str.isdigit, one)) == "".join(filter(str.isdigit, other)) != ""
    return matcher.ratio() * (1.0 if same_figures else 0.85)


def _share(wanted: tuple[str, ...], words: tuple[str, ...]) -> float:
    """Return how well the name's words, without memory and form, match the alias's: "mi300" is a prefix of "mi300x"."""
    found = sum(1 for word in wanted if len(word) > 2 and any(other.startswith(word) for other in words))
    return 0.8 * found / len(wanted) if wanted else 0.0
