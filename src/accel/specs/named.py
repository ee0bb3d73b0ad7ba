"""What a name that a person typed or pasted means: chips, a machine with so many of them, or a part of one.

A name that several products bear gives all of them; nothing is guessed from a name of which a word is not known.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accel.specs.chips import Chip, make_chip
from accel.specs.index import Index, vocabulary_of
from accel.specs.machines import Machine, asked_keys, machine_of, slice_named
from accel.specs.names import brand_of, names_in, words_of
from accel.specs.partitions import part_in
from accel.specs.pasted import capability_in, device_ids_in, pci_ids_in, readings, target_in
from accel.specs.rates import best_rate

if TYPE_CHECKING:
    from accel.specs.load import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a name means.

    chips    every chip that it can mean, the fastest first; () if it means none that is known
    machine  the machine that it names, with how many of the chips it has; None: it names a chip
    part     the part of a chip that it names, in words ("MIG 1g.10gb"); None: whole chips
    by       what told the chips: "name", "machine", "part", "pci id", "target", "die"; "" if nothing did
    """

    asked: str
    chips: tuple[Chip, ...] = ()
    machine: Machine | None = None
    part: str | None = None
    by: str = ""

    @property
    def count(self) -> int | None:
        """How many chips the machine has; None if it is no machine, or if that is not known."""
        return self.machine.count if self.machine else None


def named(specs: "Specs", index: Index, text: str, by_name: Callable[[str], tuple[Chip, ...]]) -> Named:
    """Return what the text means. by_name: finds the chips of a product's bare name."""
    machine = _machine(specs, index, text)
    if machine is not None:
        return Named(
            asked=text, chips=_chips(specs, index, machine.chips), machine=machine, part=machine.share, by="machine"
        )
    part = part_in(text, lambda: [table for _, table in specs.tables("", "/partitions", depth=1)])
    if part is not None:
        own = _chips(specs, index, part.chips)
        rest = _product(specs, index, part.rest, by_name) if part.rest else Named(asked="")
        if rest.chips or own:
            both = tuple(chip for chip in rest.chips if chip in own)
            return Named(asked=text, chips=both or rest.chips or own, part=part.said, by=rest.by or "part")
    return _product(specs, index, text, by_name)


def _product(specs: "Specs", index: Index, text: str, by_name: Callable[[str], tuple[Chip, ...]]) -> Named:
    told = next((found for reading in readings(text) if (found := _of_each(index, reading, by_name))), ())
    listed = _by_ids(specs, index, text)
    if listed:
        both = tuple(chip for chip in told if chip in listed)
        return Named(asked=text, chips=both or listed, by="name" if both else "pci id")
    if told:
        return Named(asked=text, chips=told, by="name")
    target = target_in(text) or capability_in(text)
    if target is not None and (found := _at(specs, index, index["targets"].get(target, ()))):
        return Named(asked=text, chips=found, by="target")
    for reading in readings(text):
        if found := _by_die(specs, index, reading):
            return Named(asked=text, chips=found, by="die")
    return Named(asked=text)


def _of_each(index: Index, reading: str, by_name: Callable[[str], tuple[Chip, ...]]) -> tuple[Chip, ...]:
    """Return the chips of a name; where it lists alternatives that are not all known, of those that are."""
    whole = by_name(reading)
    if whole or "/" not in reading:
        return whole
    names = names_in(reading, vocabulary_of(index))
    if len(names) < 2:
        return ()
    return tuple(sorted(_once(chip for name in names for chip in by_name(" ".join(name.words))), key=by_speed))


def _machine(specs: "Specs", index: Index, text: str) -> Machine | None:
    for key in asked_keys(text, index["makers"]):
        rows = index["machines"].get(key, ())
        for place in rows[:1]:
            table_name, number, name = place.split(" ", 2)
            table = specs.table_at(table_name)
            if table is not None:
                return machine_of(table["machines"][int(number)], table["maker"], name)
    return slice_named(text, index["slices"])


def _by_ids(specs: "Specs", index: Index, text: str) -> tuple[Chip, ...]:
    """Return the chips of the PCI id in the text; of a device id alone, those of the vendor that the text names."""
    numbers = [number for pci_id in pci_ids_in(text) for number in index["pci"].get(pci_id, ())]
    if not numbers and (devices := device_ids_in(text)):
        vendor = brand_of(text, vocabulary_of(index))
        ends = tuple(f":{device}" for device in devices)
        keys = [key for key in index["pci"] if key.endswith(ends)] if vendor else []
        numbers = [n for key in keys for n in index["pci"][key] if index["entries"][n][0] == vendor]
    return _at(specs, index, numbers)


def _by_die(specs: "Specs", index: Index, text: str) -> tuple[Chip, ...]:
    """Return the chips made of the die that the text names, beside words that say nothing: "Navi 21", "GA102"."""
    known = vocabulary_of(index)
    words = words_of(text, known)
    wanted = "".join(word for word in words if word not in ("radv", "aco"))
    vendor = brand_of(text, known)
    numbers = index["dies"].get(wanted, ()) if wanted else ()
    return _at(specs, index, [n for n in numbers if vendor in (None, index["entries"][n][0])])


def _chips(specs: "Specs", index: Index, names: Iterable[str]) -> tuple[Chip, ...]:
    known = vocabulary_of(index)
    numbers = ((name, index["names"].get(" ".join(words_of(name, known)), ())) for name in names)
    found = (chip for name, each in numbers for chip in _at(specs, index, each) if chip.name == name)
    return _once(found)


def _at(specs: "Specs", index: Index, numbers: Iterable[int]) -> tuple[Chip, ...]:
    """Return the chips of these entries, the fastest first."""
    found: list[Chip] = []
    for number in dict.fromkeys(numbers):
        entry: list[Any] = index["entries"][number]
        table = specs.table_at(entry[3]) if entry[3] is not None else None
        if table is not None:
            found.append(make_chip(table["chips"][entry[4]], table))
    return tuple(sorted(found, key=by_speed))


def _once(chips: Iterable[Chip]) -> tuple[Chip, ...]:
    found: list[Chip] = []
    for chip in chips:
        if chip not in found:
            found.append(chip)
    return tuple(found)


def by_speed(chip: Chip) -> tuple[float, float]:
    """Order chips by their 16-bit rate, then by memory, the greatest first."""
    rate = best_rate(chip, "bf16") or best_rate(chip, "fp16") or best_rate(chip, "fp32") or 0
    return -float(rate), -float(chip.memory_bytes or 0)
