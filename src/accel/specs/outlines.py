"""Products without recorded figures: their maker, generation, die and PCI IDs, from <vendor>/outlines.yaml.

They are searched if no record has a name or an ID: to know the product and its age is better than nothing. A row
covers one die; each product is its device IDs, or a dash, then a space and its name: "1180,1189 GeForce GTX 680".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from accel.names.index import Index, make_index, packed, unpacked, vocabulary_of
from accel.specs.store import Folder

PART: Final = "/outlines"  # suffix of these tables' names
NOTE: Final = "no figures of it are kept here, only its maker, generation and die, as pci.ids lists them"
_SHARED: Final = ("words", "makers", "processors", "slices", "machines", "models")
_PLAIN: Final = ("integrated", "reserved", "initial", "station", "refresh", "processor", "xbox")
_LEAST_TELLING: Final = 4  # letters
_VENDORS: Final = {"nvidia": "10de", "amd": "1002", "intel": "8086"}


def outline_records(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a chip record, with its architecture, for each product in a table of outlines."""
    maker = _VENDORS.get(table["vendor"])
    for row in table["outlines"]:
        for product in row["products"]:
            ids, _, name = product.partition(" ")
            yield {
                "name": name,
                "architecture": row["architecture"],
                "kind": "gpu",
                "compute_capability": row.get("compute_capability"),
                "die_name": row.get("die_name"),
                "pci_ids": [f"{maker}:{number}" for number in ids.split(",")] if maker and ids != "-" else [],
                "note": NOTE,
                "sources": row["sources"],
                "confidence": row["confidence"],
            }


def outlines_of(folders: Sequence[Folder], main: Index) -> Index:
    """Return the index of the outlines in all folders; the compiled one if there is only one folder."""
    ready = folders[0].table("outlines") if len(folders) == 1 else None
    if ready is not None:
        return unpacked_outlines(ready, main)
    every = ((number, folder, name) for number, folder in enumerate(folders) for name in folder.names)
    found = ((f"{n}:{name}" if n else name, folder.table(name)) for n, folder, name in every if name.endswith(PART))
    return outline_index(((place, table) for place, table in found if table is not None), main)


def outline_index(tables: Iterable[tuple[str, Any]], main: Index) -> Index:
    """Return the index of the products in tables of outlines, in the vocabulary of the chip index; without machines."""
    made = make_index(
        ((name, {**table, "chips": list(outline_records(table))}) for name, table in tables), vocabulary_of(main)
    )
    known = vocabulary_of(main)
    plain = known.series.union(known.portable, known.forms, known.brands, _PLAIN) - known.titled.keys()
    for part in ("names", "cores"):  # "Intel Graphics" and similar do not identify a product; their IDs do
        made[part] = {key: kin for key, kin in made[part].items() if _tells(key.split(), plain)}
    return {**made, **_shared(main)}


def _tells(words: list[str], plain: frozenset[str]) -> bool:
    """Return whether a name's words identify a product: one has a digit, or is not in many names."""
    if any(map(str.isdecimal, "".join(words))):
        return True
    return len(words) > 1 and any(len(word) >= _LEAST_TELLING and word not in plain for word in words)


def packed_outlines(index: Index) -> dict[str, Any]:
    """Return the parts of the index that differ from the chip index, as a few long strings."""
    return {key: value for key, value in packed(index).items() if key not in _SHARED}


def unpacked_outlines(texts: dict[str, Any], main: Index) -> Index:
    """Return the index from its packed form."""
    nothing = {**dict.fromkeys(_SHARED), "machines": "", "models": ""}
    return {**unpacked({**nothing, **texts}), **_shared(main)}


def _shared(main: Index) -> dict[str, Any]:
    return {**{key: main[key] for key in _SHARED}, "machines": {}, "slices": [], "models": []}
