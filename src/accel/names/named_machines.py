"""The machine that a text names: from a table, or a cloud type in no table, as far as it identifies its chips.

Also the NPU of a processor, which is a machine's part: "Ryzen AI 9 HX 370 NPU".
"""

from collections.abc import Callable, Iterable
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.names.catalog import Catalog
from accel.names.counts import number_before, without_number
from accel.names.identified import chips_named
from accel.names.index import Index, vocabulary_of
from accel.names.machine_types import SaidChip, family_of, said_chips
from accel.names.machines import Machine, asked_keys, key_of, machine_of, slice_named, words_of_machines
from accel.names.meaning import Named
from accel.names.pasted import readings
from accel.names.processors import processor_in
from accel.names.tokens import words_of
from accel.text.pattern import pattern

_OF_GPUS: Final = pattern(r"[ -](\d{1,2})[ -]?gpus?(?= |$)")  # "HGX H200 8-GPU"
_MEMORY: Final = pattern(r" (\d{1,3}) ?gb?(?= |$)")


def as_machine(catalog: Catalog, index: Index, text: str, machine: Machine) -> Named:
    """Return the meaning of a text that names this machine."""
    chips = chips_named(catalog, index, machine.chips)
    return Named(asked=text, chips=chips, machine=machine, part=machine.share, by="machine")


def of_type(catalog: Catalog, index: Index, text: str, by_name: Callable[[str], tuple[Chip, ...]]) -> Named | None:
    """Return the machine of a cloud type in no table, as far as its family or its name identifies its chips."""
    counted = without_number(text)
    bare = counted.text if counted else text
    joined = "_".join(bare.split()) if len(bare.split()) == 2 else bare  # a platform and its size
    for word in dict.fromkeys((text, bare, joined, *words_of_machines(bare))):
        family = family_of(word)
        places = index["machines"].get(key_of(family.name), ()) if family else ()
        row = _machine_among(catalog, places, family.ratio) if family else None
        if family and row is not None and row.count is None:
            return as_machine(catalog, index, text, replace(row, name=word, count=family.chips))
        for said in said_chips(word):
            if word == joined != bare and said.count is None and said.gib is None:
                continue  # "A100 40"
            if chips := by_name(said.name):
                count, share = _amount(said, chips)
                names = tuple(chip.name for chip in chips)
                machine = Machine(name=word, maker="", chips=names, count=count, share=share)
                before = _without_brand(text.partition(word)[0], index)
                times = counted.times if counted and word != text else number_before(before)[0]
                return Named(asked=text, chips=chips, machine=machine, part=share, by="machine", times=times)
    return None


def _without_brand(before: str, index: Index) -> str:
    """Return the text before a type, without a maker's name at its end: "on 4x NVIDIA "."""
    first, _, last = before.rstrip().rpartition(" ")
    return f"{first} " if last.lower() in vocabulary_of(index).brands else before


def _amount(said: SaidChip, chips: tuple[Chip, ...]) -> tuple[int | None, str | None]:
    """Return how many of the chips a type has, or which share of one, from its stated memory."""
    sizes = {round(chip.memory_bytes / 2**30) for chip in chips if chip.memory_bytes}
    if said.count is not None or said.gib is None or not sizes:
        return said.count, None
    if said.gib < min(sizes):
        return None, f"{said.gib} GB of its memory"
    size = min(sizes)
    return (said.gib // size if len(sizes) == 1 and said.gib % size == 0 else None), None


def machine_named(catalog: Catalog, index: Index, text: str) -> Machine | None:
    """Return the machine of a table, or the slice, named by the whole text."""
    for key in asked_keys(text, index["makers"]):
        found = _machine_among(catalog, index["machines"].get(key, ()))
        if found is not None and not _is_product_alone(found, text):
            return found
    if (told := _OF_GPUS.search(text)) is not None:
        found = machine_named(catalog, index, text[: told.start()] + text[told.end() :])
        return found if found is not None and found.count == int(told[1]) else None
    if told := _MEMORY.search(text):
        found = machine_named(catalog, index, text[: told.start()] + text[told.end() :])
        chips = chips_named(catalog, index, found.chips) if found is not None else ()
        if found is None or _is_sold_with_any(chips):
            return found
        fits = tuple(chip.name for chip in chips if round((chip.memory_bytes or 0) / 2**30) == int(told[1]))
        return replace(found, chips=fits) if fits else None
    return slice_named(text, index["slices"])


def _is_product_alone(found: Machine, text: str) -> bool:
    """Return whether a text is a product's own name, not a cloud type of it: "Tesla P100", not "nvidia-tesla-p100"."""
    return found.count is None and found.share is None and " " in text and found.name.lower() not in text.lower()


def _is_sold_with_any(chips: Iterable[Chip]) -> bool:
    """Return whether the memory is the machine's own, chosen by the buyer: "Framework Desktop 128GB"."""
    return all(chip.memory_bytes is None or "unified" in (chip.memory_type or "") for chip in chips)


def before_bracket(catalog: Catalog, index: Index, text: str) -> Machine | None:
    """Return the machine named before a bracket; the one inside it, if that has other chips.

    "NC_v3 (trn2)" is Neuron's name of a core, not an Azure machine.
    """
    before, bracket, inside = text.partition(" (")
    machine = machine_named(catalog, index, before)
    other = machine_named(catalog, index, inside.rstrip(") ")) if bracket and machine is not None else None
    return machine if other is None or machine is None or set(other.chips) & set(machine.chips) else other


def _machine_among(catalog: Catalog, places: Iterable[str], ratio: bool = False) -> Machine | None:
    """Return the first machine at the places; ratio: of a maker whose sizes end in the memory per CPU."""
    for place in places:
        table = catalog.table_at(place.partition(" ")[0])
        if table is not None and (not ratio or table.get("ratio")):
            return machine_at(catalog, place)
    return None


def machine_at(catalog: Catalog, place: str) -> Machine | None:
    """Return the machine at a place in the index: table, row and name."""
    table_name, number, name = place.split(" ", 2)
    table = catalog.table_at(table_name)
    return machine_of(table["machines"][int(number)], table, name) if table is not None else None


def npu_of(catalog: Catalog, index: Index, text: str) -> tuple[Chip, ...]:
    """Return the NPU of the CPU that a text names alone: "Ryzen AI 9 HX 370 NPU (XDNA2)"."""
    bare = " ".join(word for word in text.partition("(")[0].split() if word.lower() != "npu")
    place, alone = processor_in(bare, index["machines"], index["processors"], vocabulary_of(index))
    held = machine_at(catalog, place) if place and alone else machine_named(catalog, index, bare)
    return chips_named(catalog, index, (held.npu,)) if held is not None and held.npu is not None else ()


def npus_named(catalog: Catalog, index: Index, text: str, vendor: str) -> tuple[Chip, ...]:
    """Return a maker's NPUs with all words of the text in their names: "Intel Corporation Meteor Lake NPU"."""
    known = vocabulary_of(index)
    npus = [(chip, set(words_of(chip.name, known))) for chip in catalog.chips(vendor) if chip.kind == "npu"]
    told = (set(words_of(reading, known)) for reading in readings(text))
    return next((found for said in told if (found := tuple(chip for chip, own in npus if said and said <= own))), ())


def is_graphics(chip: Chip) -> bool:
    """Return whether a chip is the graphics of a processor, which may have an NPU too."""
    return chip.kind == "gpu" and chip.segment == "soc"
