"""PCI IDs of chip records that pci.ids does not list, from refresh/pci_ids.yaml of a checkout.

listed     the records' device IDs that pci.ids has, by vendor ID, as one string
elsewhere  IDs that pci.ids lacks, with the source that has them

An ID in <vendor>/outlines.yaml also counts as listed. The table is written by python -m specs.refresh.pci_ids.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.specs.outlines import PART, outline_records
from accel.specs.store import parse, user_folder

TABLE: Final = ("refresh", "pci_ids.yaml")


def unlisted_ids(folder: str) -> list[str]:
    """Return a sentence for each PCI ID that neither pci.ids nor another source has; [] if there is no table."""
    path = os.path.join(folder, *TABLE)
    if not os.path.exists(path):
        return []
    opened = user_folder(folder)
    tables = {name: table for name in opened.names if (table := opened.table(name)) is not None}
    known = known_ids(parse(path), tables)
    cited = list(cited_ids(tables.items()))
    needless = {row["id"] for row in parse(path)["elsewhere"]} - {number for _, _, number in cited}
    return [
        *(
            f"{name}.yaml: {chip}: pci_ids: {number} is not in pci.ids, and {TABLE[-1]} names no other source"
            for name, chip, number in cited
            if number not in known
        ),
        *(f"{TABLE[-1]}: {number}: no record has this id: leave it out" for number in sorted(needless)),
    ]


def known_ids(table: dict[str, Any], tables: dict[str, Any]) -> set[str]:
    """Return the IDs of pci.ids and other sources: `table` is pci_ids.yaml, `tables` include the outlines."""
    listed = {f"{vendor}:{number}" for vendor, text in table["listed"].items() for number in text.split()}
    listed |= {row["id"] for row in table["elsewhere"]}
    outlines = [table for name, table in tables.items() if name.endswith(PART)]
    return listed | {number for one in outlines for record in outline_records(one) for number in record["pci_ids"]}


def cited_ids(tables: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield (table, chip, id) for every PCI ID in the chip records."""
    for name, table in tables:
        for record in table["chips"] if "/chips/" in name else ():
            for number in record.get("pci_ids") or ():
                yield name, record["name"], number
