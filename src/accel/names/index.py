"""The index of all chips and all names with known capability: built with a wheel, or in memory from YAML."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.names.tokens import Words, brand_of, core, matches, names_in, without_portable, without_series, words_of
from accel.names.vocabulary import Vocabulary, gathered

Index = dict[str, Any]
_ROW: Final = "|"  # in the packed strings: neither occurs in a name's key, and JSON need not escape them
_FIELD: Final = "="
_MANY = 200  # keys asked for, after which a dictionary pays
_BY_NUMBER: Final = ("names", "pci", "dies", "targets")  # parts that give numbers of entries
_WORDS: Final = ("models", "variants", "plain")  # parts that are words of names


def make_index(tables: Iterable[tuple[str, Any]], vocabulary: Vocabulary | None = None) -> Index:
    """Build the index of these (table name, table) pairs; it contains only JSON types.

    vocabulary: how names are parsed; None: from the tables of words

    entries  [vendor, compute capability, compute target, table name or None, position in it], one per record
    names    "rtx 3090" -> positions in entries; a key for each name, and for each name without its series
    cores    "v100" -> the keys that only add descriptions to it: "v100 sxm2 16gb"
    pci      "10de:2204" -> positions in entries
    dies     "navi21" -> positions in entries; targets: "gfx1100" and "8.9" -> the same
    machines "p548xlarge" -> ["computers/aws 0 p5.48xlarge"]; slices, makers: data for accel.names.machines;
             "cpu 8845hs" -> the same, and processors: data for accel.names.processors
    models   the words of names that contain a digit: what texts are searched for
    variants the words of names without a digit; plain: those of names without any
    words    the data of a Vocabulary
    """
    from accel.names.machines import machine_keys, maker_words, slice_rows
    from accel.names.processors import processor_keys, words_beside

    every = list(tables)
    words = gathered(table for name, table in every if "words" in table)
    known = vocabulary or Vocabulary(words)
    index: Index = {"entries": [], **{part: {} for part in _BY_NUMBER}, "cores": {}, "words": words}
    _enter_tables(index, every, known)
    machines = [(name, table) for name, table in every if "machines" in table]
    index["machines"] = {}
    for key, place in (*machine_keys(machines), *processor_keys(machines)):
        index["machines"].setdefault(key, []).append(place)
    index["slices"], index["makers"] = slice_rows(machines), maker_words(machines)
    index["processors"] = words_beside(machines)
    return index


def grown(ready: Index, tables: Iterable[tuple[str, Any]]) -> Index | None:
    """Return an unpacked index extended by further tables, as if it had been built from all of them.

    None if one of these changes how names are parsed, or has machines: the whole index must then be rebuilt.
    """
    every = list(tables)
    if any(not table.keys().isdisjoint(("words", "phrases", "machines")) for _, table in every):
        return None
    known = vocabulary_of(ready)
    own: Index = {**ready, "entries": ready["entries"].copy(), **{part: {} for part in _BY_NUMBER}, "cores": {}}
    _enter_tables(own, every, known)
    cores = {inner: [key for key in keys if key not in ready["names"]] for inner, keys in own["cores"].items()}
    return {
        **own,
        **{part: _Joined(ready[part], own[part]) for part in _BY_NUMBER},
        "cores": _Joined(ready["cores"], {inner: keys for inner, keys in cores.items() if keys}),
        **{part: sorted({*ready[part], *own[part]}) for part in _WORDS},
    }


def _enter_tables(index: Index, tables: Iterable[tuple[str, Any]], known: Vocabulary) -> None:
    for table_name, table in tables:
        vendor = table.get("vendor") or table_name.rpartition(":")[2].split("/")[0]
        for position, chip in enumerate(table.get("chips") or ()):
            where = [vendor, chip.get("compute_capability"), chip.get("compute_target"), table_name, position]
            names = [chip["name"], *(chip.get("aliases") or ()), *(chip.get("families") or ())]
            _enter(index, where, names, chip.get("pci_ids") or (), known)
            _enter_kin(index, chip)
        for group in table.get("compute_names") or ():
            for name in group["names"]:
                where = [vendor, group.get("compute_capability"), group.get("compute_target"), None, None]
                _enter(index, where, [name], (), known)
    index |= words_by_use(index["names"])
    for key in index["names"]:
        inner = " ".join(core(tuple(key.split()), known))
        if inner != key:
            index["cores"].setdefault(inner, []).append(key)


def words_by_use(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of names that texts are searched for, or that stand next to these: models, variants, plain."""
    plain = [name for name in names if not any(map(str.isdecimal, name))]
    words = set(" ".join(names).split())
    return {
        "models": sorted(word for word in words if any(map(str.isdigit, word))),
        "variants": sorted(word for word in words if not any(map(str.isdecimal, word))),
        "plain": sorted(set(" ".join(plain).split())),
    }


def packed(index: Index) -> dict[str, Any]:
    """Return the index as a few long strings, which are parsed much faster than 3000 small lists."""
    tables = list(dict.fromkeys(entry[3] for entry in index["entries"] if entry[3] is not None))
    return {
        "entries": _ROW.join(
            _FIELD.join("" if v is None else str(v) for v in _short(e, tables)) for e in index["entries"]
        ),
        "tables": tables,
        "names": _lines((key, ",".join(map(str, numbers))) for key, numbers in index["names"].items()),
        "cores": _lines((key, ",".join(keys)) for key, keys in index["cores"].items()),
        **{
            part: _lines((key, ",".join(map(str, numbers))) for key, numbers in index[part].items())
            for part in ("pci", "dies", "targets")
        },
        "machines": _lines((key, ",".join(places)) for key, places in index["machines"].items()),
        "slices": index["slices"],
        "makers": index["makers"],
        "processors": index["processors"],
        **{part: " ".join(index[part]) for part in _WORDS},
        "words": index["words"],
    }


def unpacked(texts: dict[str, Any]) -> Index:
    """Return the index from its packed form; its mappings search their string on lookup."""
    return {
        "entries": _Rows(texts["entries"], texts["tables"]),
        "names": _Lines(texts["names"], numbers=True),
        "cores": _Lines(texts["cores"], numbers=False),
        **{part: _Lines(texts[part], numbers=True) for part in ("pci", "dies", "targets")},
        "machines": _Lines(texts["machines"], numbers=False),
        "slices": texts["slices"],
        "makers": texts["makers"],
        "processors": texts["processors"],
        **{part: texts[part].split() for part in _WORDS},
        "words": texts["words"],
    }


def name_words(index: Index) -> frozenset[str]:
    """Return all words of the names in the index, collected once."""
    if "words of names" not in index:
        index["words of names"] = frozenset(" ".join(index["names"]).split())
    found: frozenset[str] = index["words of names"]
    return found


def vocabulary_of(index: Index) -> Vocabulary:
    """Return the vocabulary of the index, created once."""
    if "vocabulary" not in index:
        index["vocabulary"] = Vocabulary(index["words"])
    found: Vocabulary = index["vocabulary"]
    return found


def _short(entry: list[Any], tables: list[str]) -> list[Any]:
    """Return the entry with its table's number in place of the name."""
    return [*entry[:3], tables.index(entry[3]) if entry[3] is not None else None, entry[4]]


def _lines(items: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{_ROW}{key}{_FIELD}{value}" for key, value in items) + _ROW


class _Rows(Sequence[list[Any]]):
    """The entries, each parsed on access."""

    __slots__ = ("_rows", "_tables")

    def __init__(self, text: str, tables: list[str]) -> None:
        self._rows: list[Any] = text.split(_ROW)
        self._tables = tables

    def __getitem__(self, number: Any) -> Any:
        row = self._rows[number]
        if isinstance(row, str):
            *fields, table, position = row.split(_FIELD)
            place = [self._tables[int(table)], int(position)] if position else [None, None]
            row = self._rows[number] = [*(field or None for field in fields), *place]
        return row

    def __len__(self) -> int:
        return len(self._rows)

    def append(self, entry: list[Any]) -> None:
        self._rows.append(entry)

    def copy(self) -> "_Rows":
        """Return the same entries, to which others can be added."""
        again = _Rows("", self._tables)
        again._rows = self._rows.copy()
        return again


class _Joined(Mapping[str, list[Any]]):
    """Two mappings to lists merged into one: for a key in both, the lists are concatenated."""

    __slots__ = ("_first", "_then")

    def __init__(self, first: Mapping[str, list[Any]], then: Mapping[str, list[Any]]) -> None:
        self._first, self._then = first, then

    def __getitem__(self, key: str) -> list[Any]:
        if key not in self._then:
            return self._first[key]
        return [*self._first.get(key, ()), *self._then[key]]

    def __contains__(self, key: object) -> bool:
        return key in self._then or key in self._first

    def __iter__(self) -> Iterator[str]:
        yield from self._first
        yield from (key for key in self._then if key not in self._first)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Lines(Mapping[str, list[Any]]):
    """A mapping over a string of rows, "|key=value,value|"; a value is a number or a string.

    The first lookups search the string; after many of them a dictionary is built, which costs more.
    """

    __slots__ = ("_asked", "_numbers", "_rows", "_text")

    def __init__(self, text: str, numbers: bool) -> None:
        self._text = text
        self._numbers = numbers
        self._asked = 0
        self._rows: dict[str, str] | None = None

    def __getitem__(self, key: str) -> list[Any]:
        values = self._values(key).split(",")
        return [int(value) for value in values] if self._numbers else values

    def _values(self, key: str) -> str:
        if self._rows is not None:
            return self._rows[key]
        self._asked += 1
        if self._asked == _MANY:
            rows = (line.partition(_FIELD) for line in self._text.split(_ROW) if line)
            self._rows = {name: values for name, _, values in rows}
        start = self._text.find(f"{_ROW}{key}{_FIELD}")
        if start < 0:
            raise KeyError(key)
        start += len(key) + 2
        return self._text[start : self._text.index(_ROW, start)]

    def __iter__(self) -> Iterator[str]:
        return (line.split(_FIELD, 1)[0] for line in self._text[1:-1].split(_ROW))

    def __len__(self) -> int:
        return self._text.count(_FIELD)


def _enter(index: Index, entry: list[Any], names: list[str], pci_ids: Iterable[str], known: Vocabulary) -> None:
    number = len(index["entries"])
    index["entries"].append(entry)
    for name in names:
        words = words_of(name, known)
        for key in dict.fromkeys((words, without_series(words, known))):
            bearers = index["names"].setdefault(" ".join(key), [])
            if key and number not in bearers:
                bearers.append(number)
    for pci_id in pci_ids:
        index["pci"].setdefault(pci_id, []).append(number)


def _enter_kin(index: Index, chip: dict[str, Any]) -> None:
    """Register the newest entry under what it shares with similar ones: its die and its compiler target."""
    number = len(index["entries"]) - 1
    die = "".join(c for c in str(chip.get("die_name") or "").lower() if c.isalnum())
    for part, key in (
        ("dies", die),
        ("targets", chip.get("compute_target")),
        ("targets", chip.get("compute_capability")),
    ):
        if key:
            index[part].setdefault(key, []).append(number)


def find(index: Index, text: str, vendor: str | None = None) -> list[list[int]]:
    """Return the entry numbers for each possible meaning of the text; [] if it is unknown."""
    return _find(index, text, vendor, lambda words: words)


def find_namesakes(index: Index, text: str, vendor: str | None = None) -> list[list[int]]:
    """Like find; if that finds nothing, look up the name without "Laptop" and similar, memory and form."""
    known = vocabulary_of(index)
    return (
        find(index, text, vendor)
        or _find(index, text, vendor, lambda words: without_portable(words, known))
        or _find(index, text, vendor, lambda words: without_portable(core(words, known), known))
    )


def chip_entry(index: Index, meanings: list[list[int]], pci_id: str | None) -> list[Any] | None:
    """Return the entry of the one chip shared by all meanings of a name, or with the PCI ID; else None.

    The board itself reports its PCI ID, so it takes precedence over the name; the name decides if several chips share
    an ID.
    """
    entries = index["entries"]
    of_each = [{n for n in meaning if entries[n][3] is not None} for meaning in meanings]
    by_id = set(index["pci"].get(pci_id.lower(), ()) if pci_id else ())
    if by_id:
        named = set().union(*of_each)
        found = by_id & named or by_id
    elif any(entries[n][1:4] == [None, None, None] for meaning in meanings for n in meaning):
        return None  # a name shared by products of several generations
    else:
        found = of_each[0] if of_each and all(each == of_each[0] for each in of_each) else set()
    return entries[found.pop()] if len(found) == 1 else None


def _find(index: Index, text: str, vendor: str | None, change: Callable[[Words], Words]) -> list[list[int]]:
    names, entries, known = index["names"], index["entries"], vocabulary_of(index)
    found: list[list[int]] = []
    whole = names.get(" ".join(words_of(text, known))) if "/" in text else None  # "HL-328 / HL-388" is one name
    for name in names_in(text, known) if whole is None else ():
        name.words = change(name.words)
        wanted = vendor or name.vendor
        keys = matches(name, names, names, index["cores"], known) if name.words else []
        here = [[n for n in names[key] if wanted is None or entries[n][0] == wanted] for key in keys]
        here = [meaning for meaning in here if meaning]
        if not here:
            return []  # with several alternatives, all must be known
        found += here
    if whole is not None:
        named = vendor or brand_of(text, known)
        found.append([n for n in whole if named is None or entries[n][0] == named])
    return [meaning for meaning in found if meaning]
