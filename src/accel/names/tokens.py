"""Names of chips as written by drivers, tools and people, and the keys by which an index finds them.

Seen    "NVIDIA A100-SXM4-80GB" "GeForce GTX 1080 Ti" "RTX2080Ti" "NVIDIA GeForce RTX 4070 ..." (nvidia-smi, truncated)
        "GP107 [GeForce GTX 1050 Ti]"  "Navi 31 [Radeon RX 7900 XT/7900 XTX]"  (lspci)  "Ascend910B3"  "910B3"

A name is split into words. Some say nothing (the brand), some describe (memory, form), all others identify the model:
a description may be missing from a name, any other word may not. "1050" therefore never finds "1050 Ti".
A vocabulary lists these words.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from accel.names.vocabulary import Vocabulary

if TYPE_CHECKING:
    from accel.model.chip import Chip

Words = tuple[str, ...]
SLICES = frozenset(("mig", "vf", "hf", "mxgpu", "vgpu"))  # in the name of a part of a chip
_MOST_CACHED = 400  # characters of a text whose words are cached: one name is parsed in many ways


class Name:
    """A name split into words: all informative words, in order; and its vendor.

    cut  None; "." if the last word may continue, " " if further words follow ("RTX 4070 ...")
    """

    __slots__ = ("cut", "vendor", "words")

    def __init__(self, words: Words, vendor: str | None = None, cut: str | None = None) -> None:
        self.words = words
        self.vendor = vendor
        self.cut = cut

    @property
    def memory_gib(self) -> int | None:
        """Return the memory size in the name."""
        found = [int(memory[:-2]) for word in self.words if (memory := memory_word(word))]
        return found[0] if found else None


def names_in(text: str, known: Vocabulary) -> list[Name]:
    """Return the name in the text; several if it lists alternatives ("RX 7900 XT/7900 XTX")."""
    text = _trimmed(text, known)
    vendor = brand_of(text, known)
    cut, bare = None, text.rstrip(". …")
    if text.endswith(("..", "…")):
        cut, text = (" " if text[len(bare) : len(bare) + 1] == " " else "."), bare
    found: list[Name] = []
    series: Words = ()
    line: Words = ()
    for part in text.split("/"):
        words = words_of(part, known)
        if found and words and not set(words) - known.portable:  # "RTX 2080 Mobile / Max-Q"
            words = (*without_portable(found[-1].words, known), *words)
        if words and words[0][0].isdecimal() and not set(words) & known.series:
            words = (line or series) + words
        line = _line_of(words) or line
        series = tuple(word for word in words if word in known.series) or series
        if words:  # a bare number before points ends a sentence
            found.append(Name(words, vendor, None if vendor is None and "".join(words).isdecimal() else cut))
    return found


def _line_of(words: Words) -> Words:
    """Return the words without a digit before a model's number, which later ones share: "hd" for "hd 6630m"."""
    place = next((n for n, word in enumerate(words) if not word.isalpha()), 0)
    return words[:place] if words[place:] and words[place][0].isdecimal() else ()


def _trimmed(text: str, known: Vocabulary) -> str:
    """Return the product's name in an lspci line, without a partition or virtual GPU."""
    text = text.strip()
    start, end = text.rfind("["), text.rfind("]")
    if 0 <= start < end and words_of(text[start:end], known):
        text = text[start + 1 : end]
    for sign in (" MIG ", " (UUID", " (rev "):
        text = text.split(sign)[0]
    if text[-1:] in "QCABqcab" and (found := re.search(r"(?<=\w)-\d+[QCAB]$", text, re.IGNORECASE)):
        text = text[: found.start()]
    return text


def brand_of(text: str, known: Vocabulary) -> str | None:
    """Return the vendor that the text's words name; None if there are none or several."""
    words = (word for raw in raw_words(text, known) for word in parts_of(raw, known))
    found = {known.brands[word] for word in words if word in known.brands}
    return found.pop() if len(found) == 1 else None


def words_of(text: str, known: Vocabulary) -> Words:
    """Return the informative words in order, in lower case.

    >>> from accel.specs.indexing import own_vocabulary
    >>> own = own_vocabulary()
    >>> [words_of(name, own) for name in ("NVIDIA GeForce RTX2080Ti", "V100-SXM2-32GB", "RTX 4080 with Max-Q")]
    [('rtx', '2080', 'ti'), ('v100', 'sxm2', '32gb'), ('rtx', '4080', 'maxq')]
    """
    return _words_of(text, known) if len(text) <= _MOST_CACHED else _words_of.__wrapped__(text, known)


@lru_cache(maxsize=8192)
def _words_of(text: str, known: Vocabulary) -> Words:
    words: list[str] = []
    every = iter(raw_words(text, known))
    for raw in every:
        if raw == "rev":
            next(every, None)
            continue
        for word in parts_of(raw, known):
            if word in ("gb", "gi", "gib") and words and words[-1].isdecimal():
                words[-1] += "gb"
            elif word not in known.silent:
                words.append(memory_word(word) or word)
    if "laptop" in words and "mobile" in words:
        words.remove("mobile")
    return tuple(words)


def raw_words(text: str, known: Vocabulary) -> tuple[str, ...]:
    """Return the words of a text in lower case, with Chinese ones split off and phrases replaced by their meaning."""
    return _raw_words(text, known) if len(text) <= _MOST_CACHED else _raw_words.__wrapped__(text, known)


@lru_cache(maxsize=2048)
def _raw_words(text: str, known: Vocabulary) -> tuple[str, ...]:
    text = respelt(text.lower(), known)
    cleaned = "".join(character if character.isalnum() or character in ".+" else " " for character in text)
    if "." in cleaned or not cleaned.isascii():
        cleaned = _parted(cleaned)
    return tuple(word for raw in cleaned.split() if (word := raw.strip(".")))


def respelt(text: str, known: Vocabulary, only: Container[str] | None = None) -> str:
    """Return the text with the vocabulary's phrases replaced by their meaning: "ascend" for "昇腾".

    A phrase that ends in a digit ends a number: "nitro 5" is not in "Nitro 5700". only: the meanings to replace
    """
    lower = text.lower()
    for phrase, meaning in known.latin_phrases if text.isascii() else known.phrases:
        if phrase not in lower or not (only is None or meaning.strip() in only):
            continue
        end = r"(?!\d)" if phrase[-1].isdecimal() else ""
        text = re.sub(f"{re.escape(phrase)}{end}", meaning, text, flags=re.IGNORECASE)
        lower = text.lower()
    return text


def _parted(text: str) -> str:
    """Return the text with East Asian characters split off, and without dots outside numbers: "rtx.a6000"."""
    parts = []
    for before, sign, behind in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if sign == "." and not (before.isdecimal() and behind.isdecimal()):
            sign = " "
        joint = before.isalnum() and sign.isalnum() and _is_east_asian(before) != _is_east_asian(sign)
        parts.append(f" {sign}" if joint else sign)
    return "".join(parts)


def _is_east_asian(sign: str) -> bool:
    return "\u3040" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3"


@lru_cache(maxsize=8192)
def parts_of(word: str, known: Vocabulary) -> Words:
    """Return the words that one lower-case compound consists of.

    >>> from accel.specs.indexing import own_vocabulary
    >>> own = own_vocabulary()
    >>> parts_of("rtx2080ti", own), parts_of("910b3", own), parts_of("7900xtx", own)
    (('rtx', '2080', 'ti'), ('910b3',), ('7900', 'xtx'))
    """
    return tuple(_unglued(word, known))


def _unglued(word: str, known: Vocabulary) -> Iterator[str]:
    for front in known.fronts:
        rest = word[len(front) :]
        if rest and word.startswith(front) and (_is_model(rest) or rest in known.titled.get(front, ())):
            yield front
            word = rest
            break
    digits = len(word) - len(word.lstrip("0123456789"))
    backs = list(_backs(word[digits:], known)) if 3 <= digits <= 4 else []
    if backs and "".join(backs) == word[digits:]:
        yield word[:digits]
        yield from backs
    else:
        yield word


def _is_model(rest: str) -> bool:
    return rest[0].isdecimal() or rest == "pro" or (rest[0].isalpha() and rest[1:2].isdecimal())


def _backs(text: str, known: Vocabulary) -> Iterator[str]:
    while text:
        back = next((b for b in known.backs if text.startswith(b)), None)
        if back is None:
            return
        yield back
        text = text[len(back) :]


def memory_word(word: str) -> str | None:
    digits = word.rstrip("gib")
    return f"{digits}gb" if digits.isdecimal() and word[len(digits) :] in ("g", "gi", "gb", "gib") else None


def _description(word: str, known: Vocabulary) -> str | None:
    """Return the kind of description that the word is; None if it identifies the model."""
    if word in known.forms:
        return "form"
    if word.startswith(known.memory_types):
        return "memory type"
    return "memory" if memory_word(word) else None


@lru_cache(maxsize=8192)
def core(words: Words, known: Vocabulary) -> Words:
    """Return the words that identify the model."""
    return tuple(word for word in words if _description(word, known) is None)


def without_series(words: Words, known: Vocabulary) -> Words:
    """Drop "rtx", "gtx" and similar; a lettered series ("quadro") only if a lettered model number follows."""
    if len(words) < 2 or words[0] not in known.series or words[1] in known.series:
        return words
    return words if words[0] in known.lettered and not words[1][0].isalpha() else words[1:]


def without_portable(words: Words, known: Vocabulary) -> Words:
    """Drop the words for laptop variants, which have the compute capability of their namesakes."""
    return tuple(word for word in words if word not in known.portable)


def without_generation(words: Words, known: Vocabulary) -> Words:
    """Drop the generation of a form, which people confuse: there is no H100 with the A100's "sxm4"."""
    return tuple(bare if (bare := word.rstrip("0123456789")) in known.forms else word for word in words)


def contradict(one: Words, other: Words, known: Vocabulary) -> bool:
    """Return whether two names describe memory or form differently."""
    said, told = _descriptions(one, known), _descriptions(other, known)
    return any(
        not any(x.startswith(y) or y.startswith(x) for x in said[kind] for y in told[kind])
        for kind in said.keys() & told.keys()
    )


@lru_cache(maxsize=8192)
def _descriptions(words: Words, known: Vocabulary) -> Mapping[str, list[str]]:
    """Return the words that describe, by the kind of their description."""
    found: dict[str, list[str]] = {}
    for word in words:
        if (kind := _description(word, known)) is not None:
            found.setdefault(kind, []).append(word)
    return found


def matches(
    name: Name, keys: Container[str], every: Iterable[str], by_core: Mapping[str, list[str]], known: Vocabulary
) -> list[str]:
    """Return the keys that the name can mean: those equal to it, else those that differ only in descriptions.

    keys     words joined by spaces; every: the same, to iterate over
    by_core  core -> keys with more words than it
    """
    if name.cut:
        return _begin_with(name, every)
    for words in (name.words, without_series(name.words, known)):
        if (key := " ".join(words)) in keys:
            return [key]
    inner = core(name.words, known)
    for words in (inner, without_series(inner, known)):
        joined = " ".join(words)
        found = [key for key in by_core.get(joined, ()) if not contradict(tuple(key.split()), name.words, known)]
        if found or joined in keys:
            formless = all(_description(word, known) in (None, "memory") for word in name.words)
            return [joined, *found] if joined in keys and (formless or not found) else found
    return []


def _begin_with(name: Name, every: Iterable[str]) -> list[str]:
    start = " ".join(name.words)
    if not any(character.isdecimal() for character in start):
        return []
    if name.cut == ".":
        return [key for key in every if key.startswith(start)]
    longer = [key for key in every if key.startswith(f"{start} ")]
    return longer or [key for key in every if key == start]


def other_memory(chip: "Chip", name: str, known: Vocabulary) -> bool:
    """Return whether the name states a memory size other than the chip's, and is not just the driver's name for it."""
    words = words_of(name, known)
    called = [words_of(alias, known) for alias in (chip.name, *chip.aliases)]
    if any(words in (alias, without_series(alias, known)) for alias in called):
        return (
            False  # GH200's driver reports the CPU's memory size; cards are sold with more than their maker installed
        )
    told = {found.memory_gib for found in names_in(name, known)}
    if None in told:  # with several alternatives, one may be this chip without stating its memory
        return False
    if not told or chip.memory_bytes is None:
        return False
    most = round(chip.memory_bytes / 2**30)
    if "unified" in (chip.memory_type or ""):  # sold with any amount
        return all(gib is not None and gib > most for gib in told)
    return told.isdisjoint((most, round(chip.memory_bytes / 2**30 / chip.devices)))
