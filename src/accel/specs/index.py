"""The index over all chips and all names of known capability: made when a wheel is built, or in memory from YAML."""

from collections.abc import Callable, Iterable
from typing import Any

from accel.specs.names import Name, Words, matches, names_in, without_portable, without_series, words_of

Index = dict[str, Any]


def make_index(tables: Iterable[tuple[str, Any]]) -> Index:
    """Make the index of these (table name, table) pairs; it holds nothing but JSON types.

    entries  [vendor, compute capability, compute target, table name or None, position in it], one per record
    names    "rtx 3090" -> positions in entries, one key per name and per name without its series
    pci      "10de:2204" -> positions in entries
    """
    index: Index = {"entries": [], "names": {}, "pci": {}}
    for table_name, table in tables:
        vendor = table.get("vendor") or table_name.split("/")[0]
        for position, chip in enumerate(table.get("chips") or ()):
            where = [vendor, chip.get("compute_capability"), chip.get("compute_target"), table_name, position]
            _enter(index, where, [chip["name"], *(chip.get("aliases") or ())], chip.get("pci_ids") or ())
        for group in table.get("compute_names") or ():
            for name in group["names"]:
                where = [vendor, group.get("compute_capability"), group.get("compute_target"), None, None]
                _enter(index, where, [name], ())
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


class Finder:
    """Finds entries of an index by name."""

    def __init__(self, index: Index) -> None:
        self.entries: list[list[Any]] = index["entries"]
        self.pci: dict[str, list[int]] = index["pci"]
        self._names: dict[Words, list[int]] = {tuple(key.split(" ")): value for key, value in index["names"].items()}
        self._by_core: dict[Words, list[Words]] | None = None

    def find(self, text: str, vendor: str | None = None) -> list[int]:
        """Return the numbers of the entries that the text can mean; () for a name that is not known."""
        return self._find(text, vendor, lambda name: name)

    def find_namesakes(self, text: str, vendor: str | None = None) -> list[int]:
        """Like find; where that finds nothing, what the name means without "Laptop" and the like, memory and form."""
        return (
            self.find(text, vendor)
            or self._find(text, vendor, lambda name: Name(without_portable(name.words), name.vendor, name.cut))
            or self._find(text, vendor, lambda name: Name(without_portable(name.core), name.vendor, name.cut))
        )

    def _find(self, text: str, vendor: str | None, change: Callable[[Name], Name]) -> list[int]:
        found: dict[int, None] = {}
        for name in map(change, names_in(text)):
            wanted = vendor or name.vendor
            here: list[int] = []
            for key in matches(name, self._names, self._cores(name)):
                here += [n for n in self._names[key] if wanted is None or self.entries[n][0] == wanted]
            if not here:
                return []
            found.update(dict.fromkeys(here))
        return list(found)

    def _cores(self, name: Name) -> dict[Words, list[Words]]:
        if self._by_core is None and name.words not in self._names:
            self._by_core = {}
            for key in self._names:
                self._by_core.setdefault(Name(key).core, []).append(key)
        return self._by_core or {}
