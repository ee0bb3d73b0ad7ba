"""Looks up records by identifiers that are not names (PCI IDs, part numbers, dies), and by exact names."""

from collections.abc import Iterable
from typing import Any

from accel.model.chip import Chip, make_chip
from accel.model.rates import by_speed
from accel.names.catalog import Catalog
from accel.names.index import Index, vocabulary_of
from accel.names.pasted import device_ids_in, part_number_in, pci_ids_in
from accel.names.tokens import brand_of, words_of


def by_ids(catalog: Catalog, index: Index, text: str) -> tuple[Chip, ...]:
    """Return the chips with the PCI ID in the text; for a device ID alone, those of the vendor in the text."""
    ids = pci_ids_in(text)
    if len(ids) > 1 and (board := _of_subsystem(catalog, index, ids)):
        return board
    numbers = [number for pci_id in ids for number in index["pci"].get(pci_id, ())]
    if not numbers and (devices := device_ids_in(text)):
        vendor = brand_of(text, vocabulary_of(index))
        ends = tuple(f":{device}" for device in devices)
        keys = [key for key in index["pci"] if key.endswith(ends)]
        keys = keys if vendor or (len(keys) == 1 and "0x" in text) else []
        numbers = [n for key in keys for n in index["pci"][key] if vendor in (None, index["entries"][n][0])]
    return chips_at(catalog, index, numbers)


def _of_subsystem(catalog: Catalog, index: Index, ids: list[str]) -> tuple[Chip, ...]:
    """Return the board whose device and subsystem are both among the ids; () if no table has the pair."""
    tables = [table for _, table in catalog.tables("", "/subsystems", depth=1)]
    rows = [row for table in tables for row in table["boards"] if row["pci_id"] in ids and row["subsystem"] in ids]
    return chips_named(catalog, index, rows[0]["chips"]) if len(rows) == 1 else ()


def by_part_number(catalog: Catalog, index: Index, text: str) -> tuple[Chip, ...]:
    number = part_number_in(text)
    rows = (
        (row for _, table in catalog.tables("", "/part_numbers", depth=1) for row in table["boards"]) if number else ()
    )
    return chips_named(catalog, index, [chip for row in rows if number in row["numbers"] for chip in row["chips"]])


def by_die(catalog: Catalog, index: Index, text: str) -> tuple[Chip, ...]:
    """Return the chips with the die in the text, next to uninformative words: "Navi 21", "GA102"."""
    known = vocabulary_of(index)
    words = words_of(text, known)
    wanted = "".join(word for word in words if word not in ("radv", "aco"))
    vendor = brand_of(text, known)
    numbers = index["dies"].get(wanted, ()) if wanted else ()
    return chips_at(catalog, index, [n for n in numbers if vendor in (None, index["entries"][n][0])])


def chips_named(catalog: Catalog, index: Index, names: Iterable[str]) -> tuple[Chip, ...]:
    """Return the chips with exactly these names, including those without figures."""
    known = vocabulary_of(index)
    found: list[Chip] = []
    for name in names:
        key = " ".join(words_of(name, known))
        here = [chip for chip in chips_at(catalog, index, index["names"].get(key, ())) if chip.name == name]
        found += here or [
            c for c in chips_at(catalog, catalog.outlines(), catalog.outlines()["names"].get(key, ())) if c.name == name
        ]
    return each_once(found)


def chips_at(catalog: Catalog, index: Index, numbers: Iterable[int]) -> tuple[Chip, ...]:
    """Return the chips of these entries, fastest first."""
    found: list[Chip] = []
    for number in dict.fromkeys(numbers):
        entry: list[Any] = index["entries"][number]
        table = catalog.table_at(entry[3]) if entry[3] is not None else None
        if table is not None:
            found.append(make_chip(table["chips"][entry[4]], table))
    return tuple(sorted(found, key=by_speed))


def each_once(chips: Iterable[Chip]) -> tuple[Chip, ...]:
    found: list[Chip] = []
    for chip in chips:
        if chip not in found:
            found.append(chip)
    return tuple(found)
