"""The sources of the facts in a chip's record."""

from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.specs.load import Specs

_LEVELS: Final = {
    "cited": "cited by another source",
    "recalled": "from memory",
    "seen-via-transcription": "read in a copy",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One source of a record.

    title    its title in specs/sources.yaml; else its site
    address  its URL, or a description
    read     the month, "2026-11"
    level    "seen" (read by the record's editor), "cited" (through another source), "recalled" (from memory) …
    tells    the fields for which it is the only source; () if not limited to fields
    """

    key: str
    title: str
    address: str
    read: str | None = None
    level: str | None = None
    tells: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """Return when it was read, and how it is known if not by reading it; "" if neither is recorded."""
        read = f"read {self.read}" if self.read else None
        return ", ".join(filter(None, (read, _LEVELS.get(self.level or ""))))


def citations(specs: Specs, chip: Chip) -> tuple[Citation, ...]:
    """Return the sources that the chip's record names, in its order; a source without an address shows its key."""
    told = specs.cached(
        ("sources", chip.vendor, chip.architecture, chip.name),
        lambda: _sources_of(specs, chip, chip.architecture) or _sources_of(specs, chip, ""),
    )
    titles = specs.cached("titles", lambda: _titles(specs))
    found = []
    for key in chip.sources:
        source = told.get(key) or {}
        address = source.get("url") or source.get("place") or source.get("what") or key
        found.append(
            Citation(
                key=key,
                title=source.get("title") or titles.get(address) or _site(address),
                address=address,
                read=source.get("read"),
                level=source.get("level"),
                tells=tuple(source.get("tells") or ()),
            )
        )
    return tuple(found)


def _titles(specs: Specs) -> dict[str, str]:
    return {row["url"]: row["title"] for row in (specs.table("sources") or {}).get("titles") or ()}


def _site(address: str) -> str:
    """Return the host of a URL without www.; anything that is not a URL is returned unchanged.

    >>> _site("https://www.example.com/a/b"), _site("a manual")
    ('example.com', 'a manual')
    """
    _, found, rest = address.partition("://")
    return rest.partition("/")[0].removeprefix("www.") if found else address


def _sources_of(specs: Specs, chip: Chip, part: str) -> dict[str, dict[str, str]]:
    """Return the sources of the tables that contain the chip and have `part` in their name."""
    told: dict[str, dict[str, str]] = {}
    for _, table in specs.tables(f"{chip.vendor}/chips/", part):
        home = table.get("vendor") == chip.vendor and table.get("architecture") == chip.architecture
        if home and any(one.get("name") == chip.name for one in table["chips"]):
            told = {**told, **(table.get("sources") or {})}
    return told


def addresses(specs: Specs, chip: Chip, field: str) -> tuple[str, ...]:
    """Return where one field of a chip's record was read, the maker's own page first, else in the record's order."""
    from accel.model.dataclass import replace

    keys = (chip.sources_of or {}).get(field)
    found = citations(specs, replace(chip, sources=tuple(keys)) if keys else chip)
    fitting = [one for one in found if not one.tells or field in one.tells]
    return tuple(one.address for one in (fitting or found))
