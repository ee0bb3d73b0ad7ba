"""What a row of a table of checks is about: stated facts, or devices with a certain reading. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from accel.model.dataclass import dataclass
from accel.vendors.contract.check import Evidence

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device


class Subject(Protocol):
    """A fact, or a device: what it carries by name, and the device that it is about."""

    @property
    def device(self) -> str | None: ...
    def value(self, key: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """A device as the subject of a row: its values are its fields."""

    found: "Device"
    field: str
    evidence: tuple[Evidence, ...]

    @property
    def device(self) -> str:
        return self.found.id

    def value(self, key: str) -> str | None:
        value = getattr(self.found, key, None)
        return None if value is None else str(value)


def listed_subjects(asked: Mapping[str, Any], facts: "Facts") -> list[ListedDevice]:
    """Return the devices of a backend whose field is `above` a number, in `values`, or not in `except`.

    A field that is not known is none of these. `says` is what the evidence says of one: "{id}: {rma_flag}".
    """
    subjects = []
    for device in facts.of(asked["backend"]):
        value = getattr(device, asked["field"], None)
        if value is None or not _is_wanted(value, asked):
            continue
        told = {name: getattr(device, name) for name in device.__dataclass_fields__}
        words = str(asked.get("says", "{id}: {" + asked["field"] + "}")).format_map(told)
        evidence = Evidence(fact=asked.get("fact", asked["field"]), value=words, source=asked.get("source"))
        subjects.append(ListedDevice(device, asked["field"], (evidence,)))
    return subjects


def _is_wanted(value: Any, asked: Mapping[str, Any]) -> bool:
    word = str(value).lower()
    if "above" in asked:
        return bool(value > asked["above"])
    return word in asked["values"] if "values" in asked else word not in asked["except"]


def wanted(part: Mapping[str, Any], found: Iterable[Subject]) -> list[Subject]:
    """Return the subjects whose values are in the lists of `having`, and in none of `lacking`."""
    having, lacking = part.get("having", {}), part.get("lacking", {})
    return [
        one
        for one in found
        if all(one.value(name) in values for name, values in having.items())
        and not any(one.value(name) in values for name, values in lacking.items())
    ]


def grouped(each: str | None, found: "Sequence[Subject]") -> "list[list[Subject]]":
    """Return the subjects in groups, one problem each: all together where `each` is None."""
    if each is None:
        return [list(found)] if found else []
    if each == "fact":
        return [[one] for one in found]
    groups: dict[str | None, list[Subject]] = {}
    for one in found:
        groups.setdefault(one.device if each == "device" else one.value(each), []).append(one)
    return list(groups.values())
