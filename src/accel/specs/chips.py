"""Chip records from their tables."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from accel.specs.names import names_in
from accel.specs.records import Chip

if TYPE_CHECKING:
    from accel.specs.load import Specs

_FIELDS = frozenset(field.name for field in fields(Chip))
_TUPLES = ("aliases", "pci_ids", "sources")


def one_chip(specs: "Specs", entries: list[list[Any]], name: str | None) -> Chip | None:
    """Return the chip if the entries are one chip whose memory does not contradict the name."""
    if len(entries) != 1 or entries[0][3] is None:
        return None
    _, _, _, table_name, position = entries[0]
    chip = next((c for c in _all_of(specs, table_name) if c[0] == position), None)
    if chip is None:
        return None
    asked = {n.memory_gib for n in names_in(name)} - {None} if name else set()
    gib = chip[1].memory_bytes and round(chip[1].memory_bytes / 2**30)
    return None if asked and gib and gib not in asked else chip[1]


def all_chips(specs: "Specs", vendor: str | None) -> tuple[Chip, ...]:
    """Return every chip, of one vendor if named."""
    return tuple(
        make_chip(record, table)
        for _, table in specs.tables("", "/chips/")
        for record in table["chips"]
        if vendor is None or table.get("vendor") == vendor
    )


def _all_of(specs: "Specs", table_name: str) -> list[tuple[int, Chip]]:
    table = specs.table(table_name)
    return [(n, make_chip(record, table)) for n, record in enumerate(table["chips"])] if table else []


def make_chip(record: dict[str, Any], table: dict[str, Any]) -> Chip:
    """Make the record; the table names its vendor and architecture."""
    known = {key: value for key, value in record.items() if key in _FIELDS}
    for key in _TUPLES:
        if known.get(key) is not None:
            known[key] = tuple(known[key])
    return Chip(vendor=table["vendor"], architecture=table["architecture"], **known)
