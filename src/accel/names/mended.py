"""Corrects one mistake in a name, and compares figures next to a name with the products of that name.

Seen    "Nvidea Tesla T4": a vendor's name with one letter wrong, read as that vendor
        "Tesla T4 32GB": no T4 has 32 GB, so the size is reported as not understood
        "Raspberry Pi AI HAT+ 26 TOPS": of the two products of that name, the one with 26 TOPS
"""

from collections.abc import Callable
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.places import is_common
from accel.text.pattern import pattern

_WORD: Final = pattern(r"(?<!\w)[a-z]{5,16}(?!\w)")
_SIZE: Final = pattern(r"(?<![a-z0-9.])(\d{1,4}) ?(?:gib|gb|g)(?![a-z0-9/])")
_TOPS: Final = pattern(r"(?<![\w.])(\d{1,5}(?:\.\d{1,3})?) ?tops(?![\w])")
_TOLERANCE: Final = 0.05
_FEWEST_LETTERS: Final = 5  # of a maker's name; shorter ones are near too many words


def mended(index: Index, text: str, found: Named, read: Callable[[str], Named]) -> Named:
    """Return the meaning of an unknown name after correcting its vendor's name; otherwise `found`, with a size that no
    product of the name has reported as not understood.
    """
    right = with_makers(index, text)
    if right != text and (again := read(right)).chips:
        return again
    size = _SIZE.search(text)
    if size is None:
        return found
    bare = read(f"{text[: size.start()]} {text[size.end() :]}".strip(" -_,()"))
    sizes = {round(chip.memory_bytes / 2**30) for chip in bare.chips if chip.memory_bytes}
    return replace(found, unknown=(size[0],)) if sizes and int(size[1]) not in sizes else found


def with_makers(index: Index, text: str) -> str:
    """Return the text with each word that is one letter off exactly one maker's name replaced by that name."""
    brands = [word for word in vocabulary_of(index).brands if word.isalpha() and len(word) >= _FEWEST_LETTERS]
    own = frozenset(brands)

    def right(word: str) -> str:
        if word.lower() in own or is_common(word.lower(), index):
            return word
        near = [brand for brand in brands if _is_one_letter_off(word.lower(), brand)]
        return near[0] if len(near) == 1 else word

    parts, last = [], 0
    for found in _WORD.finditer(text):
        parts += [text[last : found.start()], right(found[0])]
        last = found.end()
    return "".join((*parts, text[last:]))


def _is_one_letter_off(word: str, brand: str) -> bool:
    """Return whether one letter of the brand is wrong, missing or added, or two neighbours are swapped."""
    if word[0] != brand[0] or abs(len(word) - len(brand)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, brand, strict=False)) if a != b), min(len(word), len(brand)))
    a, b = word[start:], brand[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def of_rate(text: str, found: Named, read: Callable[[str], Named]) -> Named:
    """Return what was found, narrowed to the products with the TOPS in the text.

    Nothing, with the figure reported as not understood, if all are NPUs whose data sheets have another figure. A GPU's
    TOPS are quoted in too many number formats to contradict it.
    """
    said = _TOPS.search(text)
    if said is None or not found.chips or found.by != "name" or found.machine is not None or found.each:
        return found
    figure, bare = float(said[1]), read(f"{text[: said.start()]} {text[said.end() :]}".strip(" -_,()"))
    found = bare if bare.by == "name" and len(bare.chips) > len(found.chips) else found
    fit = tuple(chip for chip in found.chips if _has_tops(chip, figure))
    if fit:
        return replace(found, chips=fit)
    contradicted = all(chip.kind == "npu" and _tops(chip) for chip in found.chips)
    return Named(asked=found.asked, unknown=(said[0],)) if contradicted else found


def _tops(chip: Chip) -> set[float]:
    """Return the TOPS quoted for a chip: its integer rates, also with sparsity, and those in its note."""
    known = chip.dense_operations_per_second or {}
    dense = {rate / 1e12 for key, rate in known.items() if key.startswith("int")}
    sparse = {2 * rate for rate in dense} if chip.structured_sparsity else set()
    return dense | sparse | {float(one[1]) for one in _TOPS.finditer(chip.note or "")}


def _has_tops(chip: Chip, figure: float) -> bool:
    return any(abs(rate - figure) <= _TOLERANCE * figure for rate in _tops(chip))
