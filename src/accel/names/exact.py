"""A text that is a product's, or a family's, name as the index has it: "H100", "NVIDIA T4", "MI300X"."""

from typing import TYPE_CHECKING

from accel.model.rates import by_speed
from accel.names.index import Index, vocabulary_of
from accel.names.machines import key_of
from accel.names.meaning import Named
from accel.names.search import records
from accel.names.tokens import SLICES, core, memory_word, words_of

if TYPE_CHECKING:
    from accel.names.catalog import Catalog

_LONGEST = 60


def exactly_named(catalog: "Catalog", index: Index, text: str) -> Named | None:
    """Return what a text means whose every word is of one name; None if it must be read.

    It must where it says another memory than the product's, or names a part, a machine or a die.
    """
    bare = text.replace(" ", "")
    if len(text) > _LONGEST or not (bare.isascii() and bare.isalnum()) or bare.isalpha():
        return None
    known = vocabulary_of(index)
    words = words_of(text, known)
    key = " ".join(words)
    if key not in index["names"] or key_of(text) in index["machines"] or "".join(words) in index["dies"]:
        return None
    if not SLICES.isdisjoint(words):
        return None
    numbers = index["names"][key]
    if not any(index["entries"][number][3] for number in numbers):  # "H100", of which form and memory tell the records
        if core(words, known) != words:
            return None
        numbers = [number for longer in index["cores"].get(key, ()) for number in index["names"][longer]]
    vendors = {index["entries"][number][0] for number in numbers}
    own = {*words, *(word for word, vendor in known.brands.items() if vendors == {vendor})}
    if len(vendors) > 1 or not own.issuperset(text.lower().split()):
        return None
    chips = records(catalog, index, numbers)
    said = [int(memory[:-2]) for word in words if (memory := memory_word(word))]
    if any(round((chip.memory_bytes or 0) / 2**30) not in said for chip in chips if said):
        return None
    if not chips or (len(chips) > 1 and any(words_of(chip.name, known) == words for chip in chips)):
        return None
    return Named(asked=text, chips=tuple(sorted(chips, key=by_speed)), by="name")
