"""Which releases of a platform's software support a chip or a system, from specs/system/support.yaml."""

from collections.abc import Mapping
from typing import Any

from accel.model.dataclass import dataclass
from accel.specs import Specs
from accel.specs.versions import numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Support for one kind of hardware on one platform.

    first, last  the first and the newest release known to support it; None if unknown
    gone         the oldest release known to have dropped support; None if none is known
    never        no release supports it
    instead      what works on it nonetheless, as a clause; None if unknown
    source       where this was read
    """

    platform: str
    title: str
    first: str | None = None
    last: str | None = None
    gone: str | None = None
    never: bool = False
    instead: str | None = None
    source: str | None = None

    def serves(self, release: str | None) -> bool | None:
        """Return whether a release supports the hardware; None if unknown."""
        if self.never:
            return False
        asked = numbers(release) if release else ()
        if not asked or (
            len(asked) == 1 and asked[0] in {numbers(v)[0] for v in (self.gone, self.first) if v and "." in v}
        ):
            return None  # "ROCm 6" does not distinguish 6.3 from 6.4
        if self.first is not None and asked < numbers(self.first)[: len(asked)]:
            return False
        if self.gone is not None and asked >= numbers(self.gone):
            return False
        return True if self.last is None or asked[:2] <= numbers(self.last) else None


def support_of(specs: Specs, platform: str, hardware: str) -> Support | None:
    """Return which releases of a platform ("rocm") support a chip or a system ("gfx906"); None if unknown."""
    table: Mapping[str, Any] = specs.table("system/support") or {}
    rows = table.get("rows", ())
    row = next((row for row in rows if row["platform"] == platform and hardware in row["hardware"]), None)
    if row is None:
        return None
    way = next((way for way in table.get("ways", ()) if way["name"] == row["instead"]), None)
    source = table["sources"][row["sources"][0]]
    return Support(
        platform=platform,
        title=row["title"],
        first=row["first"],
        last=row["last"],
        gone=row["gone"],
        never=bool(row.get("never")),
        instead=way["says"] if way is not None else None,
        source=source.get("url") or source.get("place"),
    )
