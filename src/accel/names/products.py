"""Product names inside longer texts, with position and meaning. Vendor-neutral: the index has all vendor data.

A name is searched for around a word that contains a model ("3090", "a100", "910b3"; also glued: "rtx2080ti"), with
brand words before it and variants after it, and must be complete: neither side may continue as a longer word, a path, a
host name or a version.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.names.index import Index, chip_entry, find, vocabulary_of
from accel.names.tokens import Words, parts_of, without_series, words_of
from accel.names.vocabulary import Vocabulary
from accel.text.pattern import pattern
from accel.text.words import Words as TextWords

_LONGEST: Final = 24  # letters of a word: "ascend910premiuma"
_MOST_BEFORE: Final = 5
_PROCESSOR_WORDS: Final = 4  # before the number of a processor: "Ryzen 7 PRO 7700"
_GRADES: Final = frozenset(("pro", "ai", "max", "gold", "silver", "platinum", "bronze", "ultra", "e", "w"))
_MOST_BEHIND: Final = 8
_BETWEEN: Final = pattern(r"[ \t\-()®™\u00ae\u2122]{0,4}", exact_case=True)
_CHUNK_ENDS: Final = frozenset(" \t\n，。；：！？、（）")
_GOES_ON: Final = pattern(r"(?:s\b|'s\b)?(?:[-_.:@\\=]\w|/)", re.ASCII, exact_case=True)
_MAY_FOLLOW: Final = pattern(r"(?:s|'s)?-(?:based|class|like|equipped|only|powered)\b")
_SLICE: Final = pattern(r"-\d{1,4}(?![\w.-])", exact_case=True)
_BEGUN: Final = pattern(r"(?:^|.*[,(\[{;|+&\"'`*<~：:（=])(?:\d{1,3}[x×*])?$", re.DOTALL, exact_case=True)
_NO_PROSE: Final = pattern(r"://|^[./~]|^\w:\\|@|\\\\", exact_case=True)
_MEMORY: Final = pattern(r"\d{1,4}(?:g|gb|gib)?$", exact_case=True)


@dataclass(frozen=True, slots=True)
class NamedProduct:
    """One name in a text, with its character span.

    name     the record's name in the database; as printed if it means several
    branded  whether it includes a word of the maker; certain: nothing else has this name
    bare     only a number ("3090", "NVIDIA 3090"); digits: how many it has
    """

    start: int
    end: int
    vendor: str
    name: str
    branded: bool
    certain: bool
    bare: bool
    digits: int


class ProductNames:
    """The names of every product, ready to search texts for."""

    def __init__(self, index: Index, table_at: Any) -> None:
        self._index = index
        self._table_at = table_at
        self._known: Vocabulary = vocabulary_of(index)
        self._models = frozenset(index["models"])
        self._plain = frozenset(index["plain"]) - frozenset(self._known.series)
        self._variants = frozenset(index["variants"]).union(
            self._known.backs, self._known.forms, self._known.portable, self._known.silent
        )
        self._before: frozenset[str] = frozenset(self._variants).union(
            self._known.brands, self._known.series, self._known.fronts
        )
        self._series = frozenset(self._known.series).union(self._known.titled)
        self._found: dict[str, tuple[str, str] | None] = {}

    def brand(self, word: str) -> str | None:
        """Return the vendor that a word names."""
        return self._known.brands.get(word)

    def without_maker(self, text: str) -> str:
        """Return the text before a name without a maker's name in another script: "环境: " for "环境: 昇腾"."""
        bare = text.rstrip()
        while bare and bare.rsplit(maxsplit=1)[-1].lower() in self._known.partners:
            bare = text = bare.rsplit(maxsplit=1)[0] + " " if " " in bare else ""
            bare = bare.rstrip()
        return next((bare[: -len(said)] for said, _ in self._known.phrases if said and bare.endswith(said)), text)

    def in_words(self, words: TextWords) -> Iterator[NamedProduct]:
        """Yield the names in text order; none nested in another."""
        known = self._known
        places = sorted(
            (place, parts)
            for word, at in words.places.items()
            if (parts := self._model_parts(word, known))
            for place in at
        )
        done = -1
        for place, parts in places:
            if place > done:
                found = self._around(words, place, parts)
                if found is not None:
                    done = words.at_or_after(found.end) - 1
                    yield found

    def _model_parts(self, word: str, known: Vocabulary) -> Words:
        """Return the parts of a word that contains a model; () for any other word."""
        if word in self._plain:
            return (word,)
        if len(word) > _LONGEST or not any(map(str.isdigit, word)):
            return ()
        if word in self._models:
            return (word,)
        if "_" in word:  # "ascend910_9382", "rtx_4090"
            parts = words_of(word, known)
            return parts if parts and all(part in self._models or part in self._before for part in parts) else ()
        if word[0].isdecimal() and word[-1].isdecimal():
            return ()
        parts = parts_of(word, known)
        return parts if len(parts) > 1 and any(part in self._models for part in parts) else ()

    def _around(self, words: TextWords, place: int, parts: Words) -> NamedProduct | None:
        first = place
        while place - first < _MOST_BEFORE and first > 0 and self._joins(words, first - 1, self._before, first):
            first -= 1
        last = place
        while last - place < _MOST_BEHIND and last + 1 < len(words) and self._joins(words, last + 1, None, last):
            last += 1
        for end in range(last, place - 1, -1):
            if words.words[end] in self._known.silent and end > place:
                continue
            for start in range(first, place + 1):
                if start < place and words.words[start] in self._known.silent and not self.brand(words.words[start]):
                    continue
                found = self._named(words, start, end, place, parts)
                if found is not None:
                    return found
        return None

    def _joins(self, words: TextWords, number: int, wanted: frozenset[str] | None, beside: int) -> bool:
        """Return whether a word belongs to the name next to it."""
        one, other = sorted((number, beside))
        between = words.text[words.ends[one] : words.starts[other]]
        if not _BETWEEN.fullmatch(between):
            return False
        word = words.words[number]
        if wanted is not None:
            return word in wanted
        return word in self._variants or word in self._models or bool(_MEMORY.fullmatch(word)) or self._is_suffix(word)

    def _is_suffix(self, word: str) -> bool:
        return word in ("gb", "gib", "max", "q") or word.startswith(self._known.memory_types)

    def _named(self, words: TextWords, first: int, last: int, place: int, parts: Words) -> NamedProduct | None:
        text, start, end = words.text, words.starts[first], words.ends[last]
        printed = " ".join(text[start:end].split())
        branded = any(word in self._known.brands for word in (*words.words[first:place], *parts))
        meaning = self._meaning(printed)
        if meaning is None or not _is_whole(text, start, end, branded):
            return None
        vendor, name = meaning
        if printed.endswith("s") and printed[-2:-1].isdecimal() and any(map(str.isupper, printed)):  # "V100s": several
            vendor, name = self._meaning(printed[:-1]) or meaning
        told = [word for word in (*parts, *words.words[place + 1 : last + 1]) if word not in self._known.silent]
        if not any(map(str.isdigit, "".join(told))) and not branded and last == first:
            return None
        said = (*words.words[first:place], *parts)
        bare = all(part.isdecimal() or part in self._known.brands for part in told) and not set(said) & self._series
        if bare and self._is_processors(words.words[max(0, place - _PROCESSOR_WORDS) : place]):
            return None
        digits = max((len(part) for part in parts if part.isdecimal()), default=0)
        letters = max((len(part) - len(part.lstrip("abcdefghijklmnopqrstuvwxyz")) for part in parts), default=0)
        numbered = parts[0].isdecimal() and len(told) > 1 and told[1] in self._known.backs
        certain = any(part in self._known.alone for part in parts) or letters > 1 or numbered
        return NamedProduct(start, end, vendor, name, branded, certain, bare, digits)

    def _is_processors(self, before: list[str]) -> bool:
        """Return whether a bare number is a processor's: "7700" of "Ryzen 7 7700", "Ryzen 7 PRO 7700"."""
        for word in reversed(before):
            if word in self._known.processors:
                return True
            if not (word.isdecimal() and len(word) == 1) and word not in _GRADES:
                return False
        return False

    def _meaning(self, printed: str) -> tuple[str, str] | None:
        """Return the vendor and the name; None if no product has it, or products of several vendors do."""
        if printed not in self._found:
            entries = self._index["entries"]
            meanings = find(self._index, printed)
            vendors = {entries[number][0] for meaning in meanings for number in meaning}
            if len(vendors) != 1:
                self._found[printed] = None
            else:
                entry = chip_entry(self._index, meanings, None)
                table = self._table_at(entry[3]) if entry and entry[3] is not None else None
                name = str(table["chips"][entry[4]]["name"]) if entry and table else self._shared(printed, meanings)
                self._found[printed] = (vendors.pop(), name)
        return self._found[printed]

    def _shared(self, printed: str, meanings: list[list[int]]) -> str:
        """Return the name shared by similar products, as in their records: "GeForce RTX 3060" for "rtx3060"."""
        entries, wanted = self._index["entries"], words_of(printed, self._known)
        for number in (number for meaning in meanings for number in meaning if entries[number][3] is not None):
            table = self._table_at(entries[number][3])
            families = (table["chips"][entries[number][4]].get("families") or ()) if table else ()
            for family in families:
                words = words_of(family, self._known)
                if wanted in (words, without_series(words, self._known)):
                    return str(family)
        return printed


def _is_whole(text: str, start: int, end: int, branded: bool) -> bool:
    """Return whether a name is delimited on both sides: not part of a path, a host name, a version or a longer word."""
    begin, stop = start, end
    while begin and text[begin - 1] not in _CHUNK_ENDS and start - begin < 80 and text[begin - 1].isascii():
        begin -= 1
    while stop < len(text) and text[stop] not in _CHUNK_ENDS and stop - end < 80 and text[stop].isascii():
        stop += 1
    before, after = text[begin:start], text[end:stop]
    if _NO_PROSE.search(text[begin:stop]):
        return False
    if before and not _BEGUN.match(before) and not _lists(before):
        return False
    if not after or _MAY_FOLLOW.match(after):
        return True
    if branded and _SLICE.match(after):
        return True
    if after[0].isalnum() or after[0] == "_":
        return after in ("s",) or after.startswith(("s ", "s,", "s.", "s)"))
    goes_on = _GOES_ON.match(after)
    return goes_on is None or (after[0] == "/" and _lists(after[1:] + "/")) or after[0] == "="


def _lists(segment: str) -> bool:
    """Return whether "A100/" precedes another name in a list, and is not a folder before a file."""
    return bool(
        re.fullmatch(r"[\"'(]?(?:[A-Za-z]{1,8}[ -]?)?\d{2,4}[A-Za-z]{0,6}(?:[ -]\w{1,6})?[sS]?/(?:.{0,40})", segment)
    )
