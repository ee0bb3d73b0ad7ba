"""How one pair of a topology is connected: from the sources, and from the chips' records if they report no rate."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from accel.facts.wiring import Hop, bytes_per_second
from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.specs import Specs
from accel.specs.export_rules.technical import limit_of
from accel.specs.matching import chip_of
from accel.specs.paths import PathWords
from accel.watch.topology.records import End, Joint, Link, Member

TABLE: Final = "system/link_rates"
SPEC: Final = "spec"
_SYSFS: Final = "sysfs"
_PCIE: Final = "pcie"
_SELF: Final = "X"  # as the tools' matrices have it


def link_between(specs: Specs | None, joint: Joint | None, one: End, other: End) -> Link:
    """Return how both ends are connected. joint: what the sources say about their members."""
    link = Link(one=one.id, other=other.id)
    if one.member.id == other.member.id:
        reason = "it is one device" if one.id == other.id else "both are parts of one board, or it and a part of it"
        return replace(link, kind="same", path=_SELF, fabric=one.id == other.id, reason=reason)
    if joint is None:
        return replace(link, reason="no source reports how these two are connected")
    whole = not (one.parted or other.parted)
    fabric, why = _fabric(specs, joint, one, other) if whole else (False, None)
    path = joint.path if whole or joint.kind != "fabric" else joint.bus_path
    if path is None or specs is None:
        on_bus = fabric is False and one.member.pci_address is not None and other.member.pci_address is not None
        reason = joint.reason or why or "no source reports what is between them"
        return replace(link, kind=_PCIE if on_bus else link.kind, fabric=fabric, reason=reason)
    word = PathWords(specs).of(path)
    if word.kind == "bus" and fabric is None:
        return replace(link, reason=why)
    link = replace(link, kind=word.link, path=path, fabric=fabric, source=joint.source, lanes=word.lanes)
    if word.kind == "bus":
        return _over_the_bus(link, one.member, other.member)
    told = link.lanes is not None and joint.bytes_per_second is not None
    return _of_its_own(link, joint, None if told else _lane_of_both(specs, one, other))


def _fabric(specs: Specs | None, joint: Joint, one: End, other: End) -> tuple[bool | None, str | None]:
    """Return whether dedicated links connect two members, or why that is unknown."""
    if joint.fabric is not None:
        return joint.fabric, None
    if specs is not None and any(chip is not None and _has_none(specs, chip) for chip in _chips(specs, one, other)):
        return False, None
    over = f"; over PCIe it is {joint.bus_path}" if joint.bus_path is not None else ""
    return None, f"no source reports whether dedicated links connect them{over}"


def _has_none(specs: Specs, chip: Chip) -> bool:
    """Return whether a chip is known to have no links to others."""
    if chip.linked is False:
        return True
    named = (specs.table(TABLE) or {}).get("none", ())
    return any((found := limit_of(specs, name, chip)) is not None and found.applies for name in named)


def _over_the_bus(link: Link, one: Member, other: Member) -> Link:
    """Return the link with the bandwidth of the slowest PCIe link between both."""
    shared = 0
    for mine, theirs in zip(one.hops, other.hops, strict=False):
        if mine != theirs:
            break
        shared += 1
    between = (*one.hops[shared:], *other.hops[shared:])
    rates = [bytes_per_second(hop.speed_maximum_gts or hop.speed_gts, hop.width) for hop in between]
    known = [rate for rate in rates if rate is not None]
    if not between or len(known) < len(rates) or not (one.hops and other.hops):
        return replace(link, reason="no source reports speed and width of each PCIe link between them")
    narrowest: Hop = between[rates.index(min(known))]
    return replace(link, lanes=narrowest.width, bytes_per_second=round(min(known)), rate_source=_SYSFS)


def _of_its_own(link: Link, joint: Joint, lane: tuple[int, int | None] | None) -> Link:
    """Return a dedicated link with its lanes and rate. lane: from both chips' records."""
    rate, told = joint.bytes_per_second, joint.bytes_per_second is not None
    lanes = link.lanes
    if lanes is None and lane is not None:
        lanes = rate // lane[0] if rate is not None and rate % lane[0] == 0 else lane[1] if rate is None else None
    if rate is None and lane is not None and lanes is not None:
        rate = lane[0] * lanes
    reason = None
    if lanes is None:
        reason = "no source reports how many parallel links there are"
    elif rate is None:
        reason = "neither the driver nor the chips' records tell what the link carries"
    source = None if rate is None else joint.source if told else SPEC
    return replace(link, lanes=lanes, bytes_per_second=rate, rate_source=source, reason=reason)


def _lane_of_both(specs: Specs, one: End, other: End) -> tuple[int, int | None] | None:
    """Return the rate of one lane in one direction, and how many connect a pair, if both chips' records agree."""
    chips = _chips(specs, one, other)
    found = {_lane(specs, chip) for chip in chips if chip is not None}
    return next(iter(found)) if None not in chips and len(found) == 1 else None


def _lane(specs: Specs, chip: Chip) -> tuple[int, int | None] | None:
    """Return the rate of one lane in one direction, and how many connect a pair if the chip determines that."""
    table: Mapping[str, Any] = specs.table(TABLE) or {"rates": ()}
    rows: Sequence[Mapping[str, Any]] = table["rates"]
    for row in rows:
        if chip.name in row.get("chips", ()) or (
            chip.link_type in row.get("link_types", ()) and chip.die_name in row.get("dies", (chip.die_name,))
        ):
            return row["lane_bytes_per_second"], row.get("pair_lanes")
    return None


def _chips(specs: Specs, *ends: End) -> list[Chip | None]:
    return [chip_of(specs, end.device) if end.device is not None else None for end in ends]
