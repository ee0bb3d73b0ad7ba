"""The subjects of a check table's row: stated facts, or devices with a certain reading; and its fixes. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from accel.facts.query import holds, may_hold
from accel.facts.questions import Facts
from accel.facts.readings import readings
from accel.facts.row_words import Subject, asked_of, said
from accel.model.dataclass import dataclass, replace
from accel.model.device import UNSUPPORTED, Device
from accel.vendors.contract.check import Evidence, Fact, Remedy, applies, need
from accel.vendors.contract.command import filled

_CONDITIONS: Final = ("text", "command", "only", "when", "where", "having", "lacking")
_RESOLVED: Final = ("kernel_option", "install", "maker", "newest", "again", "remove")  # see accel.resolver.fixes
_SHARED: Final = frozenset(("device_ids", "how_many", "and_more"))
_INDEXES: Final = "device_indexes"  # in a command, those of all devices of the problem: 0,2
_ALL_UNREAD: Final = ("handle", "readings")  # a gap of these covers every field


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """A device as the subject of a row: its values are its fields."""

    found: Device
    evidence: tuple[Evidence, ...]

    @property
    def device(self) -> str:
        return self.found.id

    def value(self, key: str) -> str | None:
        value = getattr(self.found, key, None)
        if isinstance(value, tuple):
            return ", ".join(str(one) for one in value)
        return None if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Sibling:
    """A device of a model whose devices differ in a field, or a difference between machines.

    device  None if it has what most of them have
    """

    device: str | None
    told: Mapping[str, str]
    evidence: tuple[Evidence, ...]

    def value(self, key: str) -> str | None:
        return self.told.get(key)


@dataclass(frozen=True, slots=True)
class SetVariable:
    """An environment variable as the subject of a row."""

    name: str
    setting: str
    device: None = None

    def value(self, key: str) -> str | None:
        return self.setting if key == "value" else self.name if key == "name" else None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return (Evidence(fact=self.name, value=self.setting),)


@dataclass(frozen=True, slots=True)
class Compared:
    """A subject with values read elsewhere: the installed version next to the one in a message."""

    subject: Subject
    read: Mapping[str, str]

    @property
    def device(self) -> str | None:
        return self.subject.device

    def value(self, key: str) -> str | None:
        return self.subject.value(key) or self.read.get(key)


def read_values(asked: Mapping[str, str], facts: Facts) -> dict[str, tuple[str, str]]:
    """Return the first known value of each path, with where it was read; "toolkit.cuda|host.kernel": two."""
    found = {}
    for name, paths in asked.items():
        told = next((one for path in paths.split("|") for one in readings(path, facts)), None)
        if told is not None:
            found[name] = told
    return found


def set_variables(asked: Mapping[str, Sequence[str]], facts: Facts) -> list[SetVariable]:
    """Return the variables that are set to one of these lower-case values."""
    found = ((name, facts.variable(name)) for name in asked)
    return [SetVariable(name, value) for name, value in found if value and value.strip().lower() in asked[name]]


def listed_subjects(asked: Mapping[str, Any], facts: Facts) -> list[ListedDevice]:
    """Return the devices of a backend whose field is `above` a number, in `values`, or not in `except`; or `below` a
    `share` of another field, or known and `unlike` another field.

    Devices with an unknown field are skipped. `says` is the evidence text per device: "{id}: {rma_flag}". `any` and
    `all` are lists of such conditions: one must hold, or each, and the evidence joins their texts.
    """
    ways = asked.get("any") or asked.get("all") or (asked,)
    least = len(ways) if "all" in asked else 1
    subjects = []
    for device in facts.of(asked["backend"]):
        held = [way for way in ways if _is_wanted(getattr(device, way["field"], None), way, device)]
        if len(held) >= least:
            one = ListedDevice(device, ())
            told = [said(way.get("says", "{id}: {" + way["field"] + "}"), [one]) or "" for way in held]
            words = f"{device.id}: {', '.join(told)}" if ways != (asked,) else told[0]
            evidence = Evidence(fact=asked.get("fact", held[0]["field"]), value=words, source=asked.get("source"))
            subjects.append(ListedDevice(device, (evidence,)))
    return subjects


def _is_wanted(value: Any, asked: Mapping[str, Any], device: Device) -> bool:
    if value is None:
        return False
    if "above" in asked:
        return bool(value > asked["above"])
    if "below" in asked:
        most = getattr(device, asked["below"], None)
        return bool(most) and bool(value < asked.get("share", 1) * most)
    if "unlike" in asked:
        return getattr(device, asked["unlike"], None) not in (None, value)
    words = {str(one).lower() for one in (value if isinstance(value, tuple) else (value,))}
    return not words.isdisjoint(asked["values"]) if "values" in asked else words.isdisjoint(asked["except"])


def unlike_siblings(asked: Mapping[str, Any], facts: Facts, *, must_know: bool) -> Iterator[Sibling]:
    """Yield the devices of each model whose devices differ in one of `fields`: {field: words for it}.

    `but_last` ignores the last part of a version, which distinguishes variants of a board.

    must_know  end the check undecided if none of the fields is known of two devices of a model
    """
    by_model: dict[str, list[Device]] = {}
    for device in facts.of(asked["backend"]):
        if device.name and device.is_top_level:
            by_model.setdefault(device.name, []).append(device)
    for model, devices in by_model.items():
        known = False
        for field, words in asked["fields"].items():
            told = {device.id: str(value) for device in devices if (value := getattr(device, field, None))}
            kinds = {one: value.rpartition(".")[0] if "but_last" in asked else value for one, value in told.items()}
            known = known or len(told) > 1
            counted = Counter(kinds.values()).most_common(2)
            if len(counted) > 1:
                (usual, most), (_, second) = counted
                values = {"model": model, "what": words, "values": ", ".join(sorted(set(kinds.values())))}
                values["differs"] = f"{model}: {words}"
                for one, kind in kinds.items():
                    odd = kind != usual or most == second
                    yield Sibling(one if odd else None, values, (Evidence(fact=f"{field} of {one}", value=told[one]),))
        if must_know and len(devices) > 1:
            need(known or None, f"{', '.join(asked['fields'])} of {devices[0].id}")


def at_address(facts: Facts, pci: str | None) -> tuple[str, ...]:
    """Return the IDs of the devices at a PCI address, which may lack its domain or its function."""
    if pci is None:
        return ()
    wanted = _bus(pci)
    return tuple(d.id for d in facts.accelerators if d.is_top_level and d.pci_address and _bus(d.pci_address) == wanted)


def _bus(pci: str) -> str:
    """Return bus and device of a PCI address: "3b:00"."""
    return ":".join(pci.lower().split(".")[0].split(":")[-2:])


def placed(fact: Fact, facts: Facts) -> Fact:
    """Return the fact with its device, if it only has a PCI address."""
    if fact.device is not None or (at := at_address(facts, fact.value("pci"))) == ():
        return fact
    return replace(fact, device=at[0])


def must_know(facts: Facts, backend: str, fields: Sequence[str], kind: str = "device") -> None:
    """End a check without a result, unless one of these fields is known of a device and all present ones could be read.

    It ends undecided if a device has such a field that could not be read, and not applicable if no device has one.
    """
    devices = facts.of(backend)
    unknown = [(device.id, field) for device in devices for field in fields if getattr(device, field, None) is None]
    gaps = [gap for gap in facts.gaps if gap.reason != UNSUPPORTED] if unknown else ()
    for device, field in unknown:
        lost = {name for gap in gaps if gap.device == device for name in gap.fact.split(", ")}
        need(None if lost & {field, *_ALL_UNREAD} else True, f"{field} of {device}")
    known = len(unknown) < len(devices) * len(fields)
    applies(known or not devices, f"{fields[0]} is not known of any {kind}, or no {kind} here has it")


def wanted(part: Mapping[str, Any], found: Iterable[Subject]) -> list[Subject]:
    """Return the subjects whose values are in the lists of `having`, and in none of `lacking`; "*" is any value."""
    having, lacking = part.get("having", {}), part.get("lacking", {})
    return [
        one
        for one in found
        if all(_is_one(one.value(name), values) for name, values in having.items())
        and not any(_is_one(one.value(name), values) for name, values in lacking.items())
    ]


def _is_one(value: str | None, values: Sequence[str]) -> bool:
    return value in values or ("*" in values and value is not None)


def grouped(each: str | None, found: "Sequence[Subject]") -> "list[list[Subject]]":
    """Return the subjects in groups, one problem each; a single group if `each` is None."""
    if each is None:
        return [list(found)] if found else []
    if each == "fact":
        return [[one] for one in found]
    groups: dict[str | None, list[Subject]] = {}
    for one in found:
        groups.setdefault(one.device if each == "device" else one.value(each), []).append(one)
    return list(groups.values())


def fixes_of(fixes: Iterable[Mapping[str, Any]], told: Sequence[Subject], facts: Facts) -> Iterator[Remedy]:
    """Yield the fixes whose `when` holds, whose `only` may hold and whose fact `where` is stated, with slots filled.

    The values come from one fact, of `where` or of the row: the first with all of them. Incomplete texts are dropped.
    """
    from accel.text.command_template import SLOT  # needed only where something is found

    for fix in fixes:
        of = facts.stated(fix["where"]) if "where" in fix else told
        if not of or not may_hold(fix.get("only", ()), facts) or not holds(fix.get("when", ()), facts):
            continue
        if not _has(fix, told):
            continue
        command, text = fix.get("command"), fix["text"]
        names = {name for one in ([text] if isinstance(text, str) else text) for name in asked_of(one)} - _SHARED
        slots = {slot["name"]: slot["otherwise"] for slot in SLOT.finditer(command or "")}
        slots.pop(_INDEXES, None)
        wants = (names | set(slots), names | {name for name, otherwise in slots.items() if not otherwise})
        fact = next((one for some in wants for one in of if all(one.value(name) for name in some)), of[0])
        words = said(text, of, fact)
        if words is not None:
            yield Remedy(
                text=words,
                command=filled(command, partial(_value, fact, of)) if command is not None else None,
                **{key: value for key, value in fix.items() if key not in (*_CONDITIONS, *_RESOLVED)},
            )


def _value(fact: Subject, same: Sequence[Subject], name: str) -> str | None:
    if name != _INDEXES:
        return fact.value(name)
    return ",".join(str(one.found.index) for one in same if isinstance(one, ListedDevice))


def _has(fix: Mapping[str, Any], told: Sequence[Subject]) -> bool:
    """Return whether one subject has the values in a fix's `having`, and none has those in its `lacking`."""
    if "having" in fix and not wanted({"having": fix["having"]}, told):
        return False
    return "lacking" not in fix or not wanted({"having": fix["lacking"]}, told)
