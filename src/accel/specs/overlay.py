"""Differences between a user's folder and accel's tables: the user's take precedence, and each is reported. Pure.

A chip with exactly the name of one of accel's changes that record. A table with `amends: true` and the name of one of
accel's tables changes the rows with the same key. Rows that accel does not have are added.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.specs.store import Folder

    Table = dict[str, Any]

AMENDS: Final = "amends"
_TELL_APART: Final = ("package", "name", "version", "variant", "torch_npu")
_OF_RECORD: Final = ("sources", "confidence", "note", "source", "compared")  # source and date


def lay_over(folders: "Sequence[Folder]") -> tuple[str, ...]:
    """Check the folders after accel's, and let the user's own change accel's tables.

    Return the differences as sentences.
    """
    from accel.specs.validate import problems_in

    said: list[str] = []
    for folder in folders[1:]:
        for name, sentences in problems_in(folder, beside=folders[:1]).items():
            folder.drop(name, " ".join(sentences))
        said += [] if folder.strange else _changes(folders[0], folder)
    return tuple(said)


def warn_of_problems(problems: "Sequence[str]", contradictions: "Sequence[str]") -> None:
    """Issue a Python warning that names the files that are not used, the first with its mistake.

    A second warning says what the user's folder changes in accel's tables, and which of the two counts.
    """
    for what, sentences in (("specs not used", problems), ("specs changed", contradictions)):
        if sentences:
            import warnings

            left = len(sentences) - 1
            more = f" (and {left} more; see  accel specs validate FOLDER)" if left else ""
            warnings.warn(f"{what}: {' '.join(sentences[0].split())}{more}", stacklevel=1)


def _changes(base: "Folder", own: "Folder") -> list[str]:
    said: list[str] = []
    for name in own.names:
        table = own.table(name)
        if not isinstance(table, dict):
            continue
        if "/chips/" in name:
            own.replace(name, _chips(base, name, table, said))
        elif table.get(AMENDS) is True and name in base.names:
            base.replace(name, _amended(name, base.table(name) or {}, table, said))
            own.replace(name, None)
    return said


def _chips(base: "Folder", name: str, table: "Table", said: list[str]) -> "Table | None":
    """Change those of accel's chips that the table names.

    Return the table with the remaining ones, None if none remain.
    """
    vendor = name.partition("/")[0]
    left = []
    places = {
        chip["name"]: (of, number)
        for of in base.names
        if of.startswith(f"{vendor}/chips/")
        for number, chip in enumerate((base.table(of) or {}).get("chips") or ())
    }
    for chip in table.get("chips") or ():
        if chip["name"] not in places:
            left.append(chip)
            continue
        of, number = places[chip["name"]]
        known = base.table(of)
        chips = list(known["chips"])
        said += _differences(name, chip["name"], chips[number], chip)
        chips[number] = _over(chips[number], chip)
        base.replace(of, {**known, "chips": chips, "sources": _sources(known, table)})
    return {**table, "chips": left} if left else None


def _amended(name: str, known: "Table", own: "Table", said: list[str]) -> "Table":
    made = {**known, "sources": _sources(known, own)}
    for key, value in own.items():
        if key in (AMENDS, "sources", "holds"):
            continue
        if isinstance(value, list) and isinstance(known.get(key), list):
            made[key] = _rows(name, known[key], value, said)
        elif isinstance(value, dict) and isinstance(known.get(key), dict):
            made[key] = {**known[key], **value}
        else:
            made[key] = value
    return made


def _rows(name: str, known: Sequence[Any], own: Sequence[Any], said: list[str]) -> list[Any]:
    """Return the rows with the folder's own: replacements in place, new ones first."""
    rows, new = list(known), []
    places = {_identity(row): number for number, row in enumerate(known)}
    for row in own:
        identity = _identity(row)
        if identity in places:
            said += _differences(name, " ".join(map(str, identity)), rows[places[identity]], row)
            rows[places[identity]] = _over(rows[places[identity]], row)
        else:
            new.append(row)
    return [*new, *rows]


def _identity(row: Any) -> tuple[Any, ...]:
    return tuple(row[key] for key in _TELL_APART if key in row) if isinstance(row, dict) else (row,)


def _over(known: Mapping[str, Any], own: Mapping[str, Any]) -> "Table":
    sources = [*(own.get("sources") or ()), *(s for s in known.get("sources") or () if s not in own.get("sources", ()))]
    return {**known, **own, **({"sources": sources} if sources else {})}


def _sources(known: "Table", own: "Table") -> Any:
    both = (known.get("sources"), own.get("sources"))
    return {**both[0], **both[1]} if isinstance(both[0], dict) and isinstance(both[1], dict) else both[1] or both[0]


def _differences(name: str, which: str, known: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    for key, value in own.items():
        if key in known and key not in _OF_RECORD and known[key] is not None and known[key] != value:
            yield f"{which}: {key} is {value!r} in {name}.yaml, which is used; accel has {known[key]!r}"
