"""The index over all chips and all names of known capability: made when a wheel is built, or in memory from YAML."""

from collections.abc import Callable, Iterable
from typing import Any

from accel.specs.names import Words, brand_of, core, matches, names_in, without_portable, without_series, words_of

Index = dict[str, Any]


def make_index(tables: Iterable[tuple[str, Any]]) -> Index:
    """Make the index of these (table name, table) pairs; it holds nothing but JSON types.

    entries  [vendor, compute capability, compute target, table name or None, position in it], one per record
    names    "rtx 3090" -> positions in entries; a key for each name, and for each name without its series
    cores    "v100" -> the keys that only describe more than this: "v100 sxm2 16gb"
    pci      "10de:2204" -> positions in entries
    """
    index: Index = {"entries": [], "names": {}, "cores": {}, "pci": {}}
    for table_name, table in tables:
        vendor = table.get("vendor") or table_name.rpartition(":")[2].split("/")[0]
        for position, chip in enumerate(table.get("chips") or ()):
            where = [vendor, chip.get("compute_capability"), chip.get("compute_target"), table_name, position]
            names = [chip["name"], *(chip.get("aliases") or ()), *(chip.get("families") or ())]
            _enter(index, where, names, chip.get("pci_ids") or ())
        for group in table.get("compute_names") or ():
            for name in group["names"]:
                where = [vendor, group.get("compute_capability"), group.get("compute_target"), None, None]
                _enter(index, where, [name], ())
    for key in index["names"]:
        inner = " ".join(core(tuple(key.split())))
        if inner != key:
            index["cores"].setdefault(inner, []).append(key)
    return index


def _enter(index: Index, entry: list[Any], names: list[str], pci_ids: Iterable[str]) -> None:
    number = len(index["entries"])
    index["entries"].append(entry)
    for name in names:
        words = words_of(name)
        for key in dict.fromkeys((words, without_series(words))):
            known = index["names"].setdefault(" ".join(key), [])
            if key and number not in known:
                known.append(number)
    for pci_id in pci_ids:
        index["pci"].setdefault(pci_id, []).append(number)


def find(index: Index, text: str, vendor: str | None = None) -> list[list[int]]:
    """Return, for each meaning that the text can have, the numbers of its entries; none if it is not known."""
    return _find(index, text, vendor, lambda words: words)


def find_namesakes(index: Index, text: str, vendor: str | None = None) -> list[list[int]]:
    """Like find; where that finds nothing, what the name means without "Laptop" and the like, memory and form."""
    return (
        find(index, text, vendor)
        or _find(index, text, vendor, without_portable)
        or _find(index, text, vendor, lambda words: without_portable(core(words)))
    )


def chip_entry(index: Index, meanings: list[list[int]], pci_id: str | None) -> list[Any] | None:
    """Return the entry of the one chip that all meanings of a name share, or that bears the PCI id; else None.

    A PCI id is told by the board itself, so it goes before the name; the name decides where several chips share an id.
    """
    entries = index["entries"]
    of_each = [{n for n in meaning if entries[n][3] is not None} for meaning in meanings]
    by_id = set(index["pci"].get(pci_id.lower(), ()) if pci_id else ())
    if by_id:
        named = set().union(*of_each)
        found = by_id & named or by_id
    elif any(entries[n][1:4] == [None, None, None] for meaning in meanings for n in meaning):
        return None  # a name that products of several generations bear
    else:
        found = of_each[0] if of_each and all(each == of_each[0] for each in of_each) else set()
    return entries[found.pop()] if len(found) == 1 else None


def _find(index: Index, text: str, vendor: str | None, change: Callable[[Words], Words]) -> list[list[int]]:
    names, entries = index["names"], index["entries"]
    found: list[list[int]] = []
    whole = names.get(" ".join(words_of(text))) if "/" in text else None  # "HL-328 / HL-388" is one product's name
    for name in names_in(text) if whole is None else ():
        name.words = change(name.words)
        wanted = vendor or name.vendor
        keys = matches(name, names, names, index["cores"]) if name.words else []
        here = [[n for n in names[key] if wanted is None or entries[n][0] == wanted] for key in keys]
        here = [meaning for meaning in here if meaning]
        if not here:
            return []  # of several alternatives, all must be known
        found += here
    if whole is not None:
        named = vendor or brand_of(text)
        found.append([n for n in whole if named is None or entries[n][0] == named])
    return [meaning for meaning in found if meaning]
