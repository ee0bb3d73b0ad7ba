"""Where the facts of a chip's record come from."""

from typing import TYPE_CHECKING

from accel.model.chip import Chip
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.specs.load import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One source of a record. address: its URL, or what it is in words; read: the month, "2026-11".

    level  "seen" (read by the record's editor) or "cited" (through another source)
    tells  the fields that it tells alone; (): any
    """

    key: str
    address: str
    read: str | None = None
    level: str | None = None
    tells: tuple[str, ...] = ()


def citations(specs: "Specs", chip: Chip) -> tuple[Citation, ...]:
    """Return the sources that the chip's record names, in its order; the key stands for an address that is not told."""
    told: dict[str, dict[str, str]] = {}
    for _, table in specs.tables(f"{chip.vendor}/chips/"):
        home = table.get("vendor") == chip.vendor and table.get("architecture") == chip.architecture
        if home and any(one.get("name") == chip.name for one in table["chips"]):
            told = {**told, **(table.get("sources") or {})}
    found = []
    for key in chip.sources:
        source = told.get(key) or {}
        found.append(
            Citation(
                key=key,
                address=source.get("url") or source.get("place") or source.get("what") or key,
                read=source.get("read"),
                level=source.get("level"),
                tells=tuple(source.get("tells") or ()),
            )
        )
    return tuple(found)


def addresses(specs: "Specs", chip: Chip, field: str) -> tuple[str, ...]:
    """Return where one field of a chip's record was read, the maker's own page first as the record has it."""
    from accel.model.dataclass import replace

    keys = (chip.sources_of or {}).get(field)
    found = citations(specs, replace(chip, sources=tuple(keys)) if keys else chip)
    fitting = [one for one in found if not one.tells or field in one.tells]
    return tuple(one.address for one in (fitting or found))
