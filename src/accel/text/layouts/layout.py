"""The rule by which one format of a vendor's tool is read: specs/<vendor>/readers/<tool>.yaml."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap, Kind
from accel.model.report import Driver
from accel.text import amounts
from accel.text.layouts.column import Fact, fact_of, value_of
from accel.text.layouts.cutting import Said, comma_separated, documents, rows, sections
from accel.text.pattern import pattern

LAYOUTS: Final = ("rows", "sections", "csv", "json")
DRIVER_FIELDS: Final = ("version", "library_version", "toolkit_version", "firmware_version")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRule:
    """One format.

    layout, form  how the text is cut into devices, and the expression or path for it (accel.text.layouts.cutting)
    signs         at least one of these is in every text of the tool
    driver        (field of Driver, expression with one group) of what is said once for all devices
    example       a text of the tool, and `gives` the facts of its devices: the validator reads it
    """

    name: str
    backend: str
    vendor: str
    kind: Kind
    layout: str
    form: str
    signs: tuple[str, ...]
    facts: tuple[Fact, ...]
    driver: tuple[tuple[str, str], ...] = ()
    trust: int = 55
    example: str = ""
    gives: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a rule read off a text; gaps are the facts of the rule that it does not tell, device by device."""

    devices: tuple[Device, ...]
    gaps: tuple[Gap, ...]
    driver: Driver | None
    first_line: int | None
    last_line: int | None


def reader_rules(tables: Iterable[tuple[str, Any]]) -> tuple[ReaderRule, ...]:
    """Return the rules of these (table name, table) pairs."""
    return tuple(reader_rule(stated, table) for _, table in tables for stated in table["readers"])


def reader_rule(stated: dict[str, Any], table: dict[str, Any]) -> ReaderRule:
    """Return one rule; the table says whose tool it is. Raises KeyError for a rule that the validator refuses."""
    layout = next(layout for layout in LAYOUTS if layout in stated)
    return ReaderRule(
        name=stated["name"],
        backend=table["backend"],
        vendor=table["vendor"],
        kind=table["kind"],
        layout=layout,
        form=stated[layout] if isinstance(stated[layout], str) else "",
        signs=tuple(stated["signs"]),
        facts=tuple(fact_of(field, fact) for field, fact in stated["facts"].items()),
        driver=tuple((stated.get("driver") or {}).items()),
        trust=stated.get("trust", 55),
        example=stated["example"],
        gives=tuple(stated["gives"]),
    )


def read(rule: ReaderRule, text: str) -> Read | None:
    """Return the devices and the driver that the text tells of; None if neither. Never raises."""
    found = [said for said in _said(rule, text) if any(fact.source in said.values for fact in rule.facts)]
    devices: dict[int, Device] = {}
    gaps: list[Gap] = []
    for place, said in enumerate(found):
        device = _device(rule, said, place)
        if device is not None and device.index not in devices:
            devices[device.index] = device
            gaps += _gaps(rule, said, device)
    driver = _driver(rule, text)
    if not devices and driver is None:
        return None
    return Read(
        devices=tuple(devices.values()),
        gaps=tuple(gaps),
        driver=driver,
        first_line=found[0].first_line if found else None,
        last_line=found[-1].last_line if found else None,
    )


def _said(rule: ReaderRule, text: str) -> Iterator[Said]:
    if rule.layout == "rows":
        return rows(rule.form, text)
    if rule.layout == "sections":
        return sections(rule.form, text)
    if rule.layout == "csv":
        return comma_separated(frozenset(fact.source for fact in rule.facts), text)
    return documents(rule.form, text)


def _device(rule: ReaderRule, said: Said, place: int) -> Device | None:
    """Return the record; None if the tool prints an index and this one is unreadable, or if nothing else is known."""
    values = {fact.field: value_of(fact, said.values.get(fact.source, "")) for fact in rule.facts}
    index = values.pop("index", None) if any(fact.field == "index" for fact in rule.facts) else place
    known = {name: value for name, value in values.items() if value is not None}
    if index is None or not known:
        return None
    return Device(
        id=f"{rule.backend}:{index}", index=index, backend=rule.backend, vendor=rule.vendor, kind=rule.kind, **known
    )


def _gaps(rule: ReaderRule, said: Said, device: Device) -> Iterator[Gap]:
    """Yield why each fact is not known: it is not printed, or as N/A; or as what the rule has no value for."""
    for fact in rule.facts:
        printed = said.values.get(fact.source, "")
        if fact.field != "index" and value_of(fact, printed) is None:
            word = amounts.word(printed)
            reason = (
                f"{rule.name} does not say it" if word is None else f"no rule reads what {rule.name} says: {word:.40}"
            )
            yield Gap(fact=fact.field, reason=reason, device=device.id, backend=rule.backend, source=rule.name)


def _driver(rule: ReaderRule, text: str) -> Driver | None:
    found = {field: match[1] for field, form in rule.driver if (match := pattern(form, 8).search(text))}
    return Driver(**found) if found else None
