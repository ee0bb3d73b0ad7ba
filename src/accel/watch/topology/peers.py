"""Whether two devices can access each other's memory, by the rules in specs/system/peer_rules.yaml. Pure.

The first rule that applies decides. A rule states conditions on facts of the pair; an unknown fact leaves it open, and
an open rule prevents a yes that is not firm.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from accel.facts.wiring import by_address, ports_between
from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.snapshot import Host
from accel.model.wiring import PciFunction, PeerAccess, Wiring
from accel.specs import Specs
from accel.specs.export_rules.technical import Surroundings, limit_of
from accel.specs.export_rules.three_valued import Truth, any_of
from accel.specs.matching import chip_of
from accel.specs.paths import PathWords
from accel.specs.versions import numbers
from accel.watch.topology.links import link_between
from accel.watch.topology.records import Allowed, End, Joint

TABLE: Final = "system/peer_rules"
_SAYS: Final = {True: "yes", False: "no"}
_TWO: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known about the machine. peers: what its drivers say about pairs, the most trusted first."""

    specs: Specs | None
    host: Host
    wiring: Wiring
    peers: tuple[PeerAccess, ...] = ()


def allowed(it: Known, joint: Joint | None, one: End, other: End) -> Allowed:
    """Return the answer for two devices. joint: what the sources say about their members."""
    if one.id == other.id:
        return Allowed(allowed=True, reason=f"{one.id} is one device.")
    table: Mapping[str, Any] = (it.specs.table(TABLE) if it.specs is not None else None) or {"rules": ()}
    pair = _Pair(it, joint, one, other)
    notes: list[str] = []
    missing: dict[str, None] = {}
    for rule in table["rules"]:
        when, effect = rule["when"], rule["effect"]
        unknown = pair.unknown(when)
        if unknown and effect != "notes":
            missing |= dict.fromkeys(table["unknown"][key] for key in unknown)
        if unknown or unknown is None:
            continue
        reason = str(rule["reason"]).format_map(pair.words(when))
        if effect == "notes":
            notes.append(reason)
        elif effect == "allows" and missing and not rule.get("firm"):
            break
        else:
            return Allowed(
                allowed={"allows": True, "forbids": False}.get(effect),
                reason=" ".join((reason, *notes)) if effect == "allows" else reason,
                rule=rule["name"],
                remedy=rule.get("remedy"),
                environment=dict(rule.get("environment") or {}),
                sources=tuple(_source(table, key) for key in rule["sources"]),
            )
    what = f", nor {'; '.join(missing)}" if missing else ""
    return Allowed(allowed=None, reason=f"No driver reports whether {one.id} and {other.id} can{what}.")


def _source(table: Mapping[str, Any], key: str) -> str:
    source = table["sources"].get(key) or {}
    return str(source.get("url") or source.get("what") or key)


class _Pair:
    """What is known about a pair of devices, for the conditions."""

    def __init__(self, it: Known, joint: Joint | None, one: End, other: End) -> None:
        self._it, self._ends = it, (one, other)
        self._devices = tuple(end.device for end in (one, other) if end.device is not None)
        self._chips: dict[str, Chip | None] = {}
        self._fabric_is = link_between(it.specs, joint, one, other).fabric
        self._path = joint.bus_path if joint is not None else None
        self._known = by_address(it.wiring)
        places = [self._known.get(end.member.pci_address or "") for end in (one, other)]
        found = [function for function in places if function is not None]
        self._functions = (found[0], found[1]) if len(found) == len(places) == _TWO else None
        pairs = {frozenset((peer.one, peer.other)): peer for peer in reversed(it.peers)}
        self._told: PeerAccess | None = pairs.get(frozenset((one.id, other.id)))

    def unknown(self, when: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return which conditions are open: () if all hold; None if one fails, after which the others are not
        evaluated.

        Raises KeyError for an unknown condition.
        """
        found = []
        for key, wanted in when.items():
            holds = self._asks[key](self, wanted)
            if holds is False:
                return None
            if holds is None:
                found.append(key)
        return tuple(found)

    def words(self, when: Mapping[str, Any]) -> dict[str, str]:
        """Return the values that a rule's sentence can use."""
        told = self._told
        limit = next(iter(self._limits(when["limit"])), None) if "limit" in when else None
        return {
            "one": self._ends[0].id,
            "other": self._ends[1].id,
            "says": (told.says if told is not None else None) or "no reason given",
            "driver": next((d.driver_version for d in self._devices if d.driver_version), None) or "of unknown version",
            "limit": limit or "",
        }

    def _chip(self, device: Device) -> Chip | None:
        if device.id not in self._chips:
            self._chips[device.id] = chip_of(self._it.specs, device) if self._it.specs is not None else None
        return self._chips[device.id]

    def _is_parted(self, device: Device) -> bool:
        return device.is_partition or any(end.parted for end in self._ends if end.id == device.id)

    def _same_vendor(self, wanted: bool) -> Truth:
        return (len({device.backend for device in self._devices}) == 1) is wanted

    def _same_chip(self, wanted: bool) -> Truth:
        names = [chip.name if (chip := self._chip(device)) is not None else device.name for device in self._devices]
        return None if None in names else (names[0] == names[1]) is wanted

    def _vendor(self, wanted: str) -> Truth:
        return all(device.backend == wanted for device in self._devices)

    def _part(self, wanted: bool) -> Truth:
        return any(map(self._is_parted, self._devices)) is wanted

    def _limit(self, name: str) -> Truth:
        return any_of(self._has_limit(device, name) for device in self._devices)

    def _has_limit(self, device: Device, name: str) -> Truth:
        specs, chip = self._it.specs, self._chip(device)
        if specs is None or chip is None:
            return None
        found = limit_of(specs, name, chip, Surroundings(partitioned=self._is_parted(device)))
        return found is not None and found.applies

    def _limits(self, name: str) -> Iterator[str]:
        for device in self._devices:
            chip = self._chip(device)
            if self._it.specs is not None and chip is not None:
                found = limit_of(self._it.specs, name, chip, Surroundings(partitioned=self._is_parted(device)))
                if found is not None:
                    yield found.limit

    def _fabric(self, wanted: bool) -> Truth:
        return None if self._fabric_is is None else self._fabric_is is wanted

    def _meet(self, wanted: "list[str]") -> Truth:
        specs, path = self._it.specs, self._path
        where = PathWords(specs).of(path).meet if specs is not None and path is not None else None
        return None if where is None else where in wanted

    def _driver_says(self, wanted: str) -> Truth:
        told = self._told
        return False if told is None or told.allowed is None else _SAYS[told.allowed] == wanted

    def _driver_below(self, wanted: str) -> Truth:
        known = [numbers(device.driver_version) for device in self._devices if device.driver_version is not None]
        return any(version < numbers(wanted) for version in known if version) if any(known) else None

    def _translated(self, wanted: bool) -> Truth:
        if self._functions is None:
            return None
        found = any_of(self._is_translated(function) for function in self._functions)
        return None if found is None else found is wanted

    def _is_translated(self, function: PciFunction) -> Truth:
        """Return whether an IOMMU translates its addresses; without an IOMMU group, on a machine that has none,
        nothing does.
        """
        if function.is_translated is None and function.iommu_group is None and self._it.wiring.iommu is False:
            return False
        return function.is_translated

    def _redirected(self, wanted: bool) -> Truth:
        functions = self._functions
        if functions is None:
            return None
        known = self._known
        ports = [known[address] for address in ports_between(*functions) if address in known]
        found = any_of(port.redirects_peers for port in ports)
        return None if found is None else found is wanted

    def _machine(self, wanted: str) -> Truth:
        host = self._it.host
        if host.wsl:
            return wanted == "wsl"
        if host.virtualization is None:
            return None
        return ("bare" if host.virtualization == "none" else "virtual") == wanted

    _asks: Final[Mapping[str, Callable[["_Pair", Any], Truth]]] = {
        "same_vendor": _same_vendor,
        "same_chip": _same_chip,
        "vendor": _vendor,
        "part": _part,
        "limit": _limit,
        "fabric": _fabric,
        "meet": _meet,
        "driver_says": _driver_says,
        "driver_below": _driver_below,
        "translated": _translated,
        "redirected": _redirected,
        "machine": _machine,
    }
