"""The devices mentioned anywhere in a sentence: each with its number, its memory, its form.

Seen    "P40 performs about the same as a 3060"  "4x 5090 vs 1x RTX 6000 Pro"  "1×3090 + 3×P40, need advice"
        "get a 4080 instead of a 3090"  "one A800 runs the LLM, a 4090 the parser (two A100 for long jobs)"

It is used if parsing the text as a whole finds none, or misses one: a list must not lose a device.
An unknown word next to a name that may belong to it makes the whole text unknown.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, replace
from accel.names.counts import number_before, number_behind
from accel.names.evidence import is_introduced, is_sign, speaks_of_devices
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.names_in_text import names_of
from accel.names.prose import is_name, is_variant, prepared, surroundings
from accel.names.said_makers import of_said_maker
from accel.names.several import entered
from accel.names.tokens import words_of
from accel.text.pattern import pattern
from accel.text.words import Words

if TYPE_CHECKING:
    from accel.names.catalog import Catalog
    from accel.names.products import NamedProduct

_MOST_WORDS: Final = 120
_MOST_NAMES: Final = 12
_DIGITS: Final = 4  # of a bare number that is a name: "5070"
_FEWEST_WORDS: Final = 3
_BUS: Final = pattern(r"controller\b.{0,12}:|\[[0-9a-f]{4}:[0-9a-f]{4}\]|\w \[[a-z][^\[\]]{4,90}\]")
_SERIES: Final = pattern(r"(?:\d00\w?|\b\d{2}) ?(?:series|系列)\b")
_COUNT: Final = pattern(r"(?<![\w.])\d{1,3} ?[x×*]? ?$")
_JOINED: Final = pattern(
    r"(?:^|[,;/|+&(\[:：、，。•\-–—]|\b(?:and|or|vs\.?|versus|than|then|to|as|instead of|oder|und|или|и|plus))"
    r"[\s\"'`*]*$"
)
_COMPARED: Final = pattern(r"(?: [a-z]{2,12}){1,3} (?:than|versus|vs|instead of|compared (?:to|with)) ")
_JOINED_BEHIND: Final = pattern(r"[\"'`*)]? ?(?:[/|+&、]|,? (?:and|or|vs)\b)")
_FURTHER: Final = pattern(
    r"(?: ?[(\[]?\d{1,3} ?gi?b?\b(?: ?(?:of )?(?:gddr\dx?|hbm\de?|v?ram))?[)\]]?"
    r"|[ (]{1,2}(?:laptop|mobile|notebook|max-?q|pro|ti|super|xtx?|ultra|max|ada|sxm\d?|pcie|nvl|oam)"
    r"(?!\w| ?[x\d])\)?){1,3}"
)
_GIB: Final = pattern(r"(?<![\w.])(\d{1,3}) ?gi?b?(?!\w)")
_MEASURED: Final = 1.1  # what a product has over what is left of it for programs
_BEFORE: Final = pattern(r"(?<![\w.])(\d{1,3}) ?gi?b[ -]$")
_TIMES_MEMORY: Final = pattern(r"(?<![\w.])(\d{1,2}) ?[x×*] ?(\d{1,3} ?gi?b?)[ -](?:of )?")
_LAPTOP_BEFORE: Final = pattern(r"(?:laptop|mobile|notebook) (?:[a-z]{2,7} )?$")


def may_mention(text: str) -> bool:
    """Return whether a text can be a sentence or a list: more than a few words, not a bus line and not a series."""
    return (
        (len(text.split()) > _FEWEST_WORDS or not text.isascii()) and not _BUS.search(text) and not _SERIES.search(text)
    )


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name with its position, and the text to parse it from."""

    start: int
    end: int
    text: str
    branded: bool
    doubtful: bool
    digits: int


def mentioned(
    catalog: "Catalog", index: Index, text: str, read: Callable[[str], Named], beside: frozenset[str] = frozenset()
) -> Named | None:
    """Return the devices mentioned in the text; None if there are none, or one of them is not understood.

    beside: names of the products already known to be meant: a short code then means another one only with a count, an
    owner or an article before it
    """
    text = _TIMES_MEMORY.sub(r"\1x \2 ", prepared(index, text))
    words = Words(text)
    if not 1 < len(words) <= _MOST_WORDS:
        return None
    found = list(_mentions(catalog, index, text, words))
    if beside:
        known = vocabulary_of(index)
        taken = [set(words_of(name, known)) for name in beside]
        found = [one for one in found if not any(_is_of(one, words, index) for words in taken)]
    several = bool(beside) or len({one.text.lower() for one in found}) > 1
    found = [one for one in found if not one.doubtful or _is_told(index, text, one, several)]
    if not 0 < len(found) <= _MOST_NAMES or any(_is_strange(index, text, one, found) for one in found):
        return None
    each: list[Named] = []
    for one in found:
        meant = read(one.text)
        if not meant.chips:
            meant = _of_measured(one.text, read)
        if not any(other.branded for other in found):
            meant = of_said_maker(index, text, meant)
        if not meant.chips or meant.by not in ("name", "part"):
            return None
        _add(each, replace(meant, asked=one.text, times=_number(text, one), aside=()))
    if len(each) == 1:
        return replace(each[0], asked=text)
    chips = {chip.name: chip for one in each for chip in one.chips}
    return Named(asked=text, chips=tuple(chips.values()), by="name", each=tuple(each))


def _of_measured(text: str, read: Callable[[str], Named]) -> Named:
    """Return a text's meaning if its memory is slightly below the product's, as measured by tools: "A40 46 GB"."""
    said = _GIB.search(text)
    meant = read(_GIB.sub(" ", text)) if said else Named(asked=text)
    least = int(said[1]) * 2**30 if said else 0
    near = tuple(chip for chip in meant.chips if least <= (chip.memory_bytes or 0) <= least * _MEASURED)
    return replace(meant, chips=near)


def _add(each: list[Named], one: Named) -> None:
    """Add a device to the others; if it is mentioned again with another number, its number becomes unknown."""
    for place, other in enumerate(each):
        if other.chips == one.chips:
            times = other.times or one.times
            each[place] = replace(other, times=times if times in (one.times, None) or one.times is None else None)
            return
    entered(each, one)


def _mentions(catalog: "Catalog", index: Index, text: str, words: Words) -> Iterator[_Mention]:
    done = 0
    for one in names_of(catalog, words):
        done_before = done
        if one.start < done or not is_name(index, text, one) or _is_amount(index, text, one):
            continue
        start, end = _extent(text, one)
        done = end
        said = " ".join(text[start:end].replace("(", " ").replace(")", " ").split())
        if _LAPTOP_BEFORE.search(text[:start]):
            said = f"{said} laptop"
        own = words_of(text[one.start : one.end], vocabulary_of(index))
        doubtful = not one.branded and (one.bare or (len(own) == 1 and is_sign(own[0], index)))
        if not one.branded and text[:start].rstrip().endswith("/") and text[done_before:start].strip(" /"):
            continue  # "HD 6630M/6650M", if the first is unknown
        yield _Mention(start, end, said, one.branded, doubtful, one.digits if one.bare else 0)


def _extent(text: str, one: "NamedProduct") -> tuple[int, int]:
    """Return the span of a name, with memory right before it, and memory or form right after it."""
    before = _BEFORE.search(text[: one.start])
    behind = _FURTHER.match(text, one.end)
    return before.start() if before else one.start, behind.end() if behind else one.end


def _is_amount(index: Index, text: str, one: "NamedProduct") -> bool:
    """Return whether a bare number is an amount of something: "1080 MB", "3090 rows"."""
    if not one.bare or one.branded:
        return False
    behind = text[one.end :].split(maxsplit=1)
    return bool(behind) and text[one.end : one.end + 1] in (" ", "") and behind[0].lower() in vocabulary_of(index).units


def _is_of(one: _Mention, words: set[str], index: Index) -> bool:
    """Return whether a mention adds nothing to a product with these words in its name."""
    said = set(words_of(one.text, vocabulary_of(index)))
    return said <= words or (one.doubtful and not said.isdisjoint(words))


def _is_told(index: Index, text: str, one: _Mention, several: bool) -> bool:
    """Return whether the text makes a short code a device's name: by its neighbours, or by its topic.

    Among other devices it must be in a list with them, or first: "L2 cache of the RTX 4090" names only one.
    """
    before = text[: one.start]
    if is_introduced(index, before, text[one.end :]):
        return True
    if several and one.digits == _DIGITS and before.lower().endswith("the "):
        return True  # "is the 5070 better than the 4070 Super"
    beside = _JOINED.search(before) or _JOINED_BEHIND.match(text, one.end) or _COMPARED.match(text, one.end)
    if several and not beside:
        return False
    return several or speaks_of_devices(index, f"{before} {text[one.end :]}")


def _is_strange(index: Index, text: str, one: _Mention, every: list[_Mention]) -> bool:
    """Return whether an unknown word next to a name may belong to it."""
    for other in every:
        if other is not one:
            start = len(_COUNT.sub("", text[: other.start]))
            text = f"{text[:start]}{';' * (other.end - start)}{text[other.end :]}"
    beside = surroundings(index, text, one.start, one.end)
    return beside.before or any(
        any(map(str.isdigit, word)) or not word.isascii() or is_variant(word, index) for word in beside.unknown
    )


def _number(text: str, one: _Mention) -> int | None:
    times, _ = number_before(text[: one.start])
    return times if times is not None else number_behind(text[one.end :])[0]
