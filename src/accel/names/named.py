"""The meaning of a typed or pasted name: chips, a machine with a number of them, or a part of one.

A name shared by several products gives all of them. Words that do not distinguish products are set aside, and reported
(accel.names.aside); nothing is guessed from a name if another word is unknown.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.model.rates import by_speed
from accel.names.alternatives import written_out
from accel.names.aside import cells, segments, without_article, without_letter, without_neutral
from accel.names.boards import without_codes, without_editions
from accel.names.counts import Rest, number_before, without_number, without_topology
from accel.names.evidence import is_meant
from accel.names.grammar import placed, says_npu
from accel.names.identified import by_die, by_ids, by_part_number, chips_at, chips_named, each_once
from accel.names.index import Index, vocabulary_of
from accel.names.machine_types import without_processors
from accel.names.machines import words_of_machines
from accel.names.meaning import Named
from accel.names.mended import mended, of_rate
from accel.names.mentioned import may_mention, mentioned
from accel.names.named_machines import (
    as_machine,
    before_bracket,
    is_graphics,
    machine_at,
    machine_named,
    npu_of,
    npus_named,
    of_type,
)
from accel.names.partitions import lacks_part, part_in, share_in
from accel.names.pasted import capability_in, readings, series_of_die, target_in, vram_in, without_sum
from accel.names.places import unplaced
from accel.names.processors import processor_in
from accel.names.prose import spoken
from accel.names.said_makers import of_said_maker
from accel.names.search import outlined, portable, with_endings
from accel.names.series import is_round, of_line, of_resource, says_series, series_in
from accel.names.tokens import brand_of, names_in, words_of
from accel.names.whole import as_whole, names_of_chips, of_size, with_keyed_number, with_mentioned

if TYPE_CHECKING:
    from accel.names.catalog import Catalog


_LONGEST: Final = 400
_MOST_PARTS: Final = 8
_MOST_WORDS_OF_NAME: Final = 3  # "RTX 3060 12GB" needs no look at a sentence
_FEWEST_WORDS: Final = 2  # of a sentence
_SLICED: Final = "tpu"  # the vendor with machines that are slices of a mesh
_MOST_KEPT: Final = 1000  # texts for which the result is cached
_HOLDS: Final = (" with ", " w/ ")  # separates a CPU from its graphics

ByName = Callable[[str], tuple[Chip, ...]]


def named(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of the text, or the words that prevent one.

    by_name: finds the chips with a product's plain name
    """
    by_name = lru_cache(maxsize=256)(by_name)  # many readings of one text have the same name
    plain = text if text.isascii() else _in_latin(text, index)
    found = _of_slice(catalog, index, plain, by_name) or _named(catalog, index, plain, by_name)

    def read(other: str) -> Named:
        return _named(catalog, index, other, by_name)

    found = replace(of_rate(plain, found if found.chips else mended(index, plain, found, read), read), asked=text)
    return found if found.chips or found.unknown else replace(found, unknown=unplaced(index, text))


def _of_slice(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named | None:
    """Return the TPU slice in a text with its shape: "tpu-v6e-slice 2x4"; None if it is not about a TPU."""
    shaped = without_topology(text)
    found = _named(catalog, index, shaped.text, by_name) if shaped is not None else None
    if shaped is None or found is None or not found.chips or {chip.vendor for chip in found.chips} != {_SLICED}:
        return None
    if found.machine is None:
        return replace(found, times=found.times or shaped.times)
    return replace(found, machine=replace(found.machine, count=found.machine.count or shaped.times))


def _in_latin(text: str, index: Index) -> str:
    """Return the text with full-width symbols, and other scripts' letters and numerals in models, as Latin ones."""
    from accel.names.scripts import with_latin_letters

    return with_latin_letters(text, vocabulary_of(index).spellings)


def _named(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    index.setdefault("outlines of", catalog.outlines)
    if len(text) > _LONGEST:
        return _plain(catalog, index, text, by_name)

    def read(each: str) -> Named:
        found = of_said_maker(index, each, _one(catalog, index, each, by_name))
        number = without_letter(each)
        return found if number is None else _either(found, read(number))

    counted = without_number(text) or Rest(text)
    if asks := of_resource(catalog, index, counted.text):
        return Named(asked=text, chips=asks, by="series", times=counted.times)
    if says_npu(text) and (npu := npu_of(catalog, index, text)):
        return Named(asked=text, chips=npu, by="part")
    asked, text = text, without_processors(text, index["machines"])
    if asked != text and not text.strip():
        return Named(asked=asked, unknown=(asked,))

    def is_product(name: str) -> bool:
        return bool(by_name(name) or outlined(catalog, catalog.outlines(), name))

    plain = written_out(without_codes(index, text), is_product)
    found = as_whole(index, plain, read)
    if not found.chips and (bare := without_editions(index, plain)) is not None:
        again = as_whole(index, bare, read)
        plain, found = (bare, again) if again.chips else (plain, found)
    if not is_meant(index, plain, found):
        return Named(asked=asked, unknown=found.unknown)
    whole = " ".join(words_of(plain, vocabulary_of(index))) in index["names"]
    if found.by in ("", "name", "series") and found.machine is None and not whole and may_mention(plain):
        found = with_mentioned(found, mentioned(catalog, index, plain, read, frozenset(names_of_chips(found))))
    if found.part and lacks_part(found.part, found.chips, lambda: _partitions(catalog)):
        return Named(asked=asked, unknown=(found.part,))
    found = with_keyed_number(found, text)
    if found.chips and all(map(is_graphics, found.chips)) and says_npu(text):
        npus = npus_named(catalog, index, text, found.chips[0].vendor)
        return replace(found, asked=asked, chips=npus, by="part", unknown=() if npus else ("NPU",))
    machine = found.machine
    unlisted = machine is not None and not machine.maker and machine.count is None and machine.share is None
    if found.by == "name" or unlisted:
        verdict = placed(index, text, found)
        if verdict.unknown:
            return Named(asked=asked, unknown=verdict.unknown)
        line = (
            of_line(catalog, index, verdict.line, found.chips[0]) if verdict.line in vocabulary_of(index).titled else ()
        )
        found = replace(found, chips=line or of_size(index, text, found), altered=verdict.altered)
    return replace(found, asked=asked)


def _either(found: Named, other: Named) -> Named:
    """Return the union of two readings of a text, if both name products."""
    if not found.chips or other.by != "name":
        return found if found.chips else other
    return replace(found, chips=each_once((*found.chips, *other.chips))) if found.by == "name" else found


def _one(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of a text that names one device: the name alone, or in a sentence."""
    text = without_article(without_sum(text))
    found = _of_device(catalog, index, text, by_name)
    if (
        found.machine is not None
        or found.part
        or found.by not in ("", "name", "pci id", "die", "target")
        or (len(text.split()) < _FEWEST_WORDS and text.isascii() and text[-1:] not in "sS")
    ):
        return found if found.chips else replace(found, unknown=spoken(catalog, index, text).unknown)
    if found.chips and not found.aside and (len(found.chips) == 1 or len(text.split()) <= _MOST_WORDS_OF_NAME):
        return found
    if len(found.chips) == 1 and found.times:
        return found
    said = spoken(catalog, index, text)
    one = found
    if said.name is not None:
        one = _read(catalog, index, said.name, by_name)
        one = one if one.chips else _outline(catalog, said.name, by_name)
        if not one.chips and said.more:
            one = _of_device(catalog, index, f"{said.name} VRAM", by_name)
    if said.name is None or not one.chips:
        return found if found.chips else replace(found, unknown=said.unknown)
    if not found.chips or ((said.more or found.by != "name") and names_of_chips(one) < names_of_chips(found)):
        return replace(one, asked=text, times=said.times or found.times, aside=said.aside)
    return replace(found, times=found.times or said.times) if names_of_chips(one) == names_of_chips(found) else found


def _of_device(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of a text that names one device."""
    found = _read(catalog, index, text, by_name)
    if found.machine is not None or (len(found.chips) == 1 and found.by != "name"):
        return found
    if (
        found.chips
        and found.by == "name"
        and (gib := vram_in(text))
        and (other := _of_memory(catalog, index, text, found.chips, gib))
    ):
        return replace(found, chips=other)
    if len(found.chips) == 1:
        return found
    if not found.chips or found.by == "target":
        found = _of_segments(catalog, index, text, by_name, found.chips) or found
    if not found.chips:
        found = _read(catalog, index, text, lambda reading: portable(catalog, index, reading))
    if not found.chips:
        ended = next((some for reading in readings(text) if (some := with_endings(catalog, index, reading))), ())
        found = Named(asked=text, chips=ended, by="name") if ended else found
    if not found.chips:
        found = _unrecorded(catalog, index, text, by_name)
    elif found.by == "die" and (outline := _outline(catalog, text, by_name)).by == "name":
        found = outline
    place, alone = processor_in(text, index["machines"], index["processors"], vocabulary_of(index))
    held = machine_at(catalog, place) if place else None
    if held is None or not (found.chips or alone):
        return found
    chips = chips_named(catalog, index, held.chips)
    if not found.chips:
        return replace(found, chips=chips, machine=held, by="machine")
    return replace(found, chips=tuple(chip for chip in found.chips if chip in chips) or found.chips)


def _of_memory(catalog: "Catalog", index: Index, text: str, chips: tuple[Chip, ...], gib: int) -> tuple[Chip, ...]:
    """Return the laptop products with that memory, if no product with the name has it: "RTX 3060 (6GB VRAM)"."""
    if any(chip.memory_bytes is None or round(chip.memory_bytes / 2**30) == gib for chip in chips):
        return ()
    others = (chip for reading in readings(text) for chip in portable(catalog, index, reading))
    return tuple(chip for chip in each_once(others) if chip.memory_bytes == gib * 2**30)


def _of_segments(catalog: "Catalog", index: Index, text: str, by_name: ByName, among: tuple[Chip, ...]) -> Named | None:
    """Return the meaning of the only part of a text that names a product: "AMD Radeon RX 9070 XT, driver 32.0.31035".

    The first part may be it if no other names a maker's product; several that do name several devices.
    among: the products that it is one of, if known
    """
    parts = segments(text)
    read = [(part, _read(catalog, index, part, by_name)) for part in parts] if 1 < len(parts) <= _MOST_PARTS else []
    vocabulary = vocabulary_of(index)
    known = [(part, one) for part, one in read if one.chips and one.machine is None]
    known = [(part, one) for part, one in known if part == parts[0] or brand_of(part, vocabulary) is not None]
    names = {chip.name for _, one in known for chip in one.chips}
    if len(known) != 1 or (among and not names <= {chip.name for chip in among}):
        return None
    part, one = known[0]
    return replace(one, asked=text, aside=(*one.aside, *(other for other in parts if other != part)))


def _unrecorded(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of a text that names no record: a product without figures, or a series."""
    outline = _outline(catalog, text, by_name)
    if outline.chips and not (says_series(text) and is_round(text)):
        return outline
    if (typed := of_type(catalog, index, text, by_name)) is not None:
        return typed
    counted = without_number(text)
    inside = [(reading, None) for reading in readings(text)[1:2]]  # without an address and a class of devices
    for name, times in ((text, None), *inside, *(((counted.text, counted.times),) if counted else ())):
        if of_series := series_in(catalog, index, name):
            return Named(asked=text, chips=of_series, by="series", times=times)
    return outline


def _outline(catalog: "Catalog", text: str, by_name: ByName) -> Named:
    """Return the meaning of a text among products without figures; if they give an ID of a record, the record."""
    index = catalog.outlines()
    found = _read(catalog, index, text, lambda reading: outlined(catalog, index, reading))
    return replace(found, chips=each_once(one for chip in found.chips for one in by_name(chip.name) or (chip,)))


def _read(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of the text by the names in it."""
    counted = without_number(text)
    found = _plain(catalog, index, text, by_name)
    if counted and found.chips and text[-3:].partition(":")[2].strip().isdecimal():  # "ascend910b4:1" is not a 910B4-1
        fewer = _plain(catalog, index, counted.text, by_name)
        return replace(fewer, asked=text, times=counted.times) if fewer.chips else found
    if found.part and counted and found.times is None and found.machine is None:
        return replace(found, times=counted.times)  # "2x MIG 2g.10gb"
    if found.chips:
        return found
    for word in words_of_machines(counted.text if counted else text):
        if (machine := machine_named(catalog, index, word)) is not None:
            times = counted.times if counted else number_before(text.partition(word)[0])[0]
            aside = tuple(text.replace(word, " ").split())
            return replace(as_machine(catalog, index, text, machine), times=times, aside=aside)
    for rest in _rests(without_article(text), index):
        looser = _plain(catalog, index, rest.text, by_name)
        if looser.chips:
            return replace(looser, asked=text, times=rest.times, aside=rest.aside)
    return replace(_of_cells(catalog, index, text, by_name), asked=text)


def _rests(text: str, index: Index) -> Iterator[Rest]:
    """Yield possible names in a text: without a number of devices, and without uninformative words."""
    counted = without_number(text)
    if counted:
        yield counted
        if counted.text.lower().endswith("s") and (counted.times or 0) > 1:
            yield replace(counted, text=counted.text[:-1])  # "dual 3090s", where S does not mean SUPER
    else:
        yield Rest(text)
    bare = text.partition(" (")[0]
    whole = Rest(bare) if bare != text else None
    for rest in (counted, Rest(text), whole):
        if rest is None:
            continue
        for reading in readings(rest.text):
            for more in ((), index["makers"]):
                stripped = without_neutral(reading, index, more)
                if stripped:
                    yield Rest(stripped.text, rest.times, stripped.aside)
    if whole:
        yield whole
    for sign in _HOLDS:
        before, found, _ = text.partition(sign)
        if found:
            yield Rest(before)


def _of_cells(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of the only meaningful cell in a table row; nothing if there are several."""
    read = [without_number(cell) or Rest(cell) for cell in cells(text)]
    found = [replace(_plain(catalog, index, rest.text, by_name), times=rest.times) for rest in read]
    if not any(one.chips for one in found):
        said = [(spoken(catalog, index, rest.text), rest.times) for rest in read]
        named = [(one.name, one.times or times) for one, times in said if one.name]
        found = [replace(_plain(catalog, index, name, by_name), times=times) for name, times in named]
    found = [one for one in found if one.chips]
    return found[0] if len({tuple(chip.name for chip in one.chips) for one in found}) == 1 else Named(asked=text)


def _plain(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    """Return the meaning of a text without setting anything aside; cached, since many readings lead to one text."""
    known: dict[tuple[ByName, str], Named] = index.setdefault("plain names", {})
    if (by_name, text) not in known:
        if len(known) > _MOST_KEPT:
            known.clear()
        known[by_name, text] = _plainly(catalog, index, text, by_name)
    return known[by_name, text]


def _plainly(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    machine = machine_named(catalog, index, text) or before_bracket(catalog, index, text)
    if machine is not None:
        return as_machine(catalog, index, text, machine)
    part = part_in(text, lambda: _partitions(catalog)) or share_in(text, vocabulary_of(index).shares)
    if part is not None:
        own = chips_named(catalog, index, part.chips)
        rest = _product(catalog, index, part.rest, by_name) if part.rest else Named(asked="")
        if part.rest and not rest.chips and (said := spoken(catalog, index, part.rest)).name is not None:
            rest = _product(catalog, index, said.name, by_name)
        if part.rest and not rest.chips:
            rest = _product(catalog, index, part.before, by_name)
        if rest.chips or own:
            both = tuple(chip for chip in rest.chips if chip in own)
            return Named(asked=text, chips=both or rest.chips or own, part=part.said, by=rest.by or "part")
    return _product(catalog, index, text, by_name)


def _partitions(catalog: "Catalog") -> list[Any]:
    return [table for _, table in catalog.tables("", "/partitions", depth=1)]


def _product(catalog: "Catalog", index: Index, text: str, by_name: ByName) -> Named:
    told = next((found for reading in readings(text) if (found := by_name(reading))), ())
    told = told or next((found for reading in readings(text) if (found := _of_each(index, reading, by_name))), ())
    if told and (before := series_of_die(text)):
        of_die = each_once(chip for die in before.split("/") for chip in by_die(catalog, index, die) or by_name(die))
        told = tuple(chip for chip in told if chip in of_die) or of_die
    listed = by_ids(catalog, index, text) or by_part_number(catalog, index, text)
    if listed:
        both = tuple(chip for chip in told if chip in listed)
        if not both and not any(chip.pci_ids for chip in told):
            both = told  # with IDs in no table
        elif not both and len(told) == 1:
            both = (*told, *listed)  # name and id clash
        return Named(asked=text, chips=both or listed, by="name" if both else "pci id")
    if told:
        return Named(asked=text, chips=told, by="name")
    target = target_in(text) or capability_in(text)
    if target is not None and (found := chips_at(catalog, index, index["targets"].get(target, ()))):
        return Named(asked=text, chips=found, by="target")
    for reading in readings(text):
        if found := by_die(catalog, index, reading):
            return Named(asked=text, chips=found, by="die")
    return Named(asked=text)


def _of_each(index: Index, reading: str, by_name: ByName) -> tuple[Chip, ...]:
    """Return the chips of the known names in a list of alternatives, if not all are known."""
    if "/" not in reading:
        return ()
    names = names_in(reading, vocabulary_of(index))
    if len(names) < 2:
        return ()
    known = [(name, by_name(" ".join(name.words))) for name in names]
    alone = vocabulary_of(index).alone
    if any(not chips and not alone.isdisjoint(name.words) for name, chips in known):
        return ()  # a device among other words
    each = ((name.vendor, chip) for name, chips in known for chip in chips)
    return tuple(sorted(each_once(chip for vendor, chip in each if vendor in (None, chip.vendor)), key=by_speed))
