"""The rule for reading one format of a vendor's tool: specs/<vendor>/readers/<tool>.yaml."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device, Gap, Kind
from accel.model.merge import filled
from accel.model.report import Driver
from accel.text.layouts.column import Fact, fact_of
from accel.text.layouts.cutting import Said, columns, comma_separated, documents, rows, sections
from accel.text.layouts.drawn import drawn
from accel.text.pattern import pattern

LAYOUTS: Final = ("rows", "sections", "columns", "csv", "json", "table")
DRIVER_FIELDS: Final = ("version", "library_version", "toolkit_version", "firmware_version")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRule:
    """One format.

    layout, form  how to split the text into devices, and the expression or path for it (accel.text.layouts.cutting)
    between       for columns: the cell separator
    signs         strings of which every text of the tool contains at least one
    only          an expression that must match somewhere in the text, because other vendors' tools print the same
                  layout
    ours          (name, expression): a device that prints this name counts only if the expression matches; at least one
                  device must match
    needed        fields that a device must have
    latest        of several lines about one device the last counts; otherwise the first does, and later ones fill in
                  what it lacks
    gaps          whether to report missing facts of a device; False if other calls of the tool provide them
    driver        (field of Driver, expression with one group) for values that are printed once for all devices
    record        the class of its devices
    example       a text of the tool, and `gives` the facts of its devices; the validator reads it
    """

    name: str
    backend: str
    vendor: str
    kind: Kind
    layout: str
    form: Any
    signs: tuple[str, ...]
    facts: tuple[Fact, ...]
    between: str | None = None
    only: str | None = None
    ours: tuple[tuple[str, str], ...] = ()
    needed: tuple[str, ...] = ()
    latest: bool = False
    gaps: bool = True
    driver: tuple[tuple[str, str], ...] = ()
    record: type[Device] = Device
    trust: int = 55
    example: str = ""
    gives: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a rule read from a text. gaps: the facts of the rule that it lacks, device by device."""

    devices: tuple[Device, ...]
    gaps: tuple[Gap, ...]
    driver: Driver | None
    first_line: int | None
    last_line: int | None


def reader_rules(tables: Iterable[tuple[Any, type[Device]]]) -> tuple[ReaderRule, ...]:
    """Return the rules in these tables, each with the record class of its vendor's devices."""
    return tuple(reader_rule(stated, table, record) for table, record in tables for stated in table["readers"])


def reader_rule(stated: dict[str, Any], table: dict[str, Any], record: type[Device] = Device) -> ReaderRule:
    """Return one rule for the vendor that the table names. Raises KeyError for a rule that the validator rejects."""
    layout = next(layout for layout in LAYOUTS if layout in stated)
    return ReaderRule(
        name=stated["name"],
        backend=table["backend"],
        vendor=table["vendor"],
        kind=table["kind"],
        layout=layout,
        form=stated[layout],
        signs=tuple(stated["signs"]),
        facts=tuple(fact_of(field, fact, record) for field, fact in stated["facts"].items()),
        ours=tuple((stated.get("ours") or {}).items()),
        needed=tuple(stated.get("needed") or ()),
        driver=tuple((stated.get("driver") or {}).items()),
        record=record,
        example=stated["example"],
        gives=tuple(stated["gives"]),
        **{name: stated[name] for name in ("between", "only", "latest", "gaps", "trust") if name in stated},
    )


def read(rule: ReaderRule, text: str) -> Iterator[Read]:
    """Yield the devices and the driver in the text, separately for each drawn table. Never raises."""
    if rule.only is not None and not pattern(rule.only, 8).search(text):
        return
    if rule.layout == "table":
        for table, said in drawn(rule.form, dict(rule.driver), text):
            if said or "version" in table.said:
                driver = Driver(**table.said) if table.said else None
                yield from _read(rule, said, driver, (table.first_line, table.last_line))
    else:
        found = [said for said in _said(rule, text) if any(fact.is_printed(said.values) for fact in rule.facts)]
        first, last = (found[0].first_line, found[-1].last_line) if found else (None, None)
        yield from _read(rule, found, _driver(rule, text), (first, last))


def _said(rule: ReaderRule, text: str) -> Iterator[Said]:
    if rule.layout == "rows":
        return rows(rule.form, text)
    if rule.layout == "sections":
        return sections(rule.form, text)
    if rule.layout == "columns":
        return columns(rule.form, rule.between, text)
    if rule.layout == "csv":
        return comma_separated(lambda cells: all(_is_named(fact, cells) for fact in rule.facts), text)
    return documents(rule.form, text)


def _is_named(fact: Fact, cells: Sequence[str]) -> bool:
    return any(name in cells for name in fact.names)


def _read(
    rule: ReaderRule, found: Sequence[Said], driver: Driver | None, lines: tuple[int | None, int | None]
) -> Iterator[Read]:
    devices: dict[int, Device] = {}
    said_of: dict[int, Said] = {}
    for index, said in _numbered(rule, found):
        device = _device(rule, said, index, driver)
        if device is None:
            continue
        before = None if rule.latest else devices.get(index)
        devices[index] = device if before is None else filled(before, device)
        said_of.setdefault(index, said)
    if devices or (driver is not None and not rule.ours):
        gaps = (gap for index, device in devices.items() for gap in _gaps(rule, said_of[index], device))
        yield Read(
            devices=tuple(devices.values()),
            gaps=tuple(gaps) if rule.gaps else (),
            driver=driver,
            first_line=lines[0],
            last_line=lines[1],
        )


def _numbered(rule: ReaderRule, found: Sequence[Said]) -> Iterator[tuple[int, Said]]:
    """Yield each of the vendor's devices with its index: the printed one, otherwise its position.

    Devices with an unreadable index or another maker are left out, but still count for the positions of others.
    """
    ours = [_is_ours(rule, said) for said in found]
    if rule.ours and True not in ours:
        return
    stated = next((fact for fact in rule.facts if fact.field == "index"), None)
    without = next((form.order_without for form in stated.forms if form.order_without), None) if stated else None
    counted = [said for said in found if not said.bare] if stated is None or without else []
    places = {id(said): place for place, said in enumerate(counted)}
    for said, is_ours in zip(found, ours, strict=True):
        index = stated.value(said.values) if stated is not None else None
        if index is None and (stated is None or (without is not None and without not in said.values)):
            index = places.get(id(said))
        if index is not None and is_ours is not False:
            yield index, said


def _is_ours(rule: ReaderRule, said: Said) -> bool | None:
    """Return whether a device is the vendor's; None if no name in `ours` is printed."""
    told = [pattern(form).fullmatch(printed) for name, form in rule.ours if (printed := said.values.get(name))]
    return all(told) if told else None


def _device(rule: ReaderRule, said: Said, index: int, driver: Driver | None) -> Device | None:
    """Return the record; None if nothing is known about the device, or a needed field is missing."""
    values = {fact.field: fact.value(said.values) for fact in rule.facts if fact.field != "index"}
    known = {name: value for name, value in values.items() if value is not None}
    if not known or any(name not in known for name in rule.needed):
        return None
    device = rule.record(
        id=f"{rule.backend}:{index}",
        index=index,
        backend=rule.backend,
        vendor=rule.vendor,
        kind=rule.kind,
        processes=said.processes,
        **known,
    )
    version = driver.version if driver is not None else None
    return device if version is None or device.driver_version else replace(device, driver_version=version)


def _gaps(rule: ReaderRule, said: Said, device: Device) -> Iterator[Gap]:
    """Yield why each fact is unknown: it is missing or "N/A", or the rule does not know its printed text."""
    for fact in rule.facts:
        known = getattr(device, fact.field) not in (None, "unknown")
        if fact.field != "index" and not known and fact.value(said.values) is None:
            word = fact.printed(said.values)
            reason = (
                f"{rule.name} does not say so" if word is None else f"no rule reads what {rule.name} says: {word:.40}"
            )
            yield Gap(fact=fact.field, reason=reason, device=device.id, backend=rule.backend, source=rule.name)


def _driver(rule: ReaderRule, text: str) -> Driver | None:
    found = {field: match[1] for field, form in rule.driver if (match := pattern(form, 8).search(text))}
    return Driver(**found) if found else None
