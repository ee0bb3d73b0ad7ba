"""The chapter on products: memory, peak rates, power, with the sources, and each compared with its peers."""

from collections.abc import Sequence
from math import log
from typing import Final

from accel.apps.render.chip_words import chip_facts, format_text, measure_text, peak_text
from accel.apps.render.report import document as doc
from accel.apps.render.report.given import Given
from accel.apps.render.report.grouping import Alike, unmatched
from accel.apps.render.units import bytes_text
from accel.model.rates import measure, rates
from accel.specs import Chip, Specs
from accel.specs.sources import citations

_ALWAYS: Final = frozenset(("memory", "memory bandwidth", "power", "host bus", "link", "die", "released"))
_LABELS: Final = {"power": "power (TDP)", "link": "link between devices"}
_SIDE: Final = 3  # number of faster peers, and of slower ones
_OF_ONE_ARCHITECTURE: Final = 2
_SPEEDS: Final = ("bf16", "fp16", "fp32", "int8")  # the first one known for the chip is used for comparison
_NAMES: Final = {"memory": "Memory", "bandwidth": "Memory bandwidth"}


def specs(given: Given, groups: Sequence[Alike]) -> doc.Section:
    """Return the spec database's data on the products of these devices."""
    blocks: list[doc.Block] = []
    for chip in chips_of(groups):
        blocks.append(doc.Group(title=chip.name, blocks=_chip(given, chip)))
    for group in groups:
        if group.chip is None and group.devices[0].kind != "cpu":
            blocks.append(doc.Paragraph(text=_unmatched(group), tone="quiet"))
            if group.candidates:
                blocks.append(_candidates(group))
    return doc.Section(name="specs", title="Specs", blocks=tuple(blocks))


def chips_of(groups: Sequence[Alike]) -> tuple[Chip, ...]:
    """Return the products of these devices, without duplicates."""
    return tuple({group.chip.name: group.chip for group in groups if group.chip is not None}.values())


def _chip(given: Given, chip: Chip) -> tuple[doc.Block, ...]:
    architecture = given.specs.architecture(chip.vendor, chip.architecture)
    known = [(label, None if value in (None, "?") else value) for label, value in chip_facts(chip, architecture)]
    facts = doc.Facts(
        rows=tuple(
            doc.Fact(label=_LABELS.get(label, label), value=value, why=None if value else "not in the sources")
            for label, value in known
            if value is not None or label in _ALWAYS
        )
    )
    remarks = [f"Rates are dense: without structured sparsity. Confidence of this record: {chip.confidence}."]
    if (chip.devices_per_board or 1) > 1:
        remarks.append(f"All figures are the board's, which is {chip.devices_per_board} devices to the driver.")
    if chip.note:
        remarks.append(f"Note: {chip.note}.")
    blocks: list[doc.Block] = [facts, _rates(chip), doc.Paragraph(text=" ".join(remarks), tone="quiet")]
    against = _charts(given.specs, chip)
    if against:
        blocks.append(doc.Group(title=f"{chip.name} against its peers", blocks=(doc.Charts(charts=against),)))
    blocks.append(doc.Sources(items=tuple(_source(given, chip))))
    return tuple(blocks)


def _rates(chip: Chip) -> doc.Block:
    found = rates(chip)
    if not found:
        return doc.Paragraph(text="Peak rates: unknown (not in the sources).", tone="quiet")
    rows = tuple((format_text(rate), peak_text(rate)) for rate in found)
    return doc.Table(
        caption=f"Peak dense rates of {chip.name}", columns=("format", "rate"), rows=rows, numeric=frozenset({"rate"})
    )


def _source(given: Given, chip: Chip) -> list[doc.Source]:
    return [
        doc.Source(
            label=citation.title if citation.title != citation.address else "Source",
            address=citation.address,
            remark=citation.remark or None,
        )
        for citation in citations(given.specs, chip)
    ]


def _unmatched(group: Alike) -> str:
    if not group.candidates:
        return f"{group.title}: specs unknown ({unmatched(group.devices[0])})."
    return f"{group.title}: which product this is, is unknown. Its name can mean what follows."


def _candidates(group: Alike) -> doc.Table:
    rows = tuple(
        (
            chip.name,
            bytes_text(chip.memory_bytes) if chip.memory_bytes else None,
            *(
                measure_text(value, by) if (value := measure(chip, by)) is not None else None
                for by in ("bandwidth", "bf16", "fp16", "tdp")
            ),
        )
        for chip in group.candidates
    )
    columns = ("product", "memory", "memory bandwidth", "bf16, dense", "fp16, dense", "power (TDP)")
    return doc.Table(caption="What the name can mean", columns=columns, rows=rows, numeric=frozenset(columns[1:]))


def _charts(specs: Specs, chip: Chip) -> tuple[doc.Bars, ...]:
    """Return charts of the chip and its peers by speed, memory and bandwidth; () if its speed is unknown."""
    by = next((dtype for dtype in _SPEEDS if measure(chip, dtype)), None)
    if by is None:
        return ()
    group = (chip, *peers(specs, chip, by))
    return tuple(_chart(chip, group, measured) for measured in (by, "memory", "bandwidth"))


def peers(specs: Specs, chip: Chip, by: str) -> tuple[Chip, ...]:
    """Return the next faster and slower chips, at most two of one architecture, and without duplicates."""
    own = measure(chip, by)
    if not own:
        return ()
    known = [(log(value / own), other) for other in specs.chips() if (value := measure(other, by))]
    known.sort(key=lambda item: (abs(item[0]), _years_apart(chip, item[1]), item[1].name))
    taken: dict[bool, list[Chip]] = {True: [], False: []}
    figures = {_figures(chip, by)}
    for distance, other in known:
        side = taken[distance >= 0]
        architecture = sum(other.architecture == one.architecture for group in taken.values() for one in group)
        if len(side) < _SIDE and architecture < _OF_ONE_ARCHITECTURE and _figures(other, by) not in figures:
            side.append(other)
            figures.add(_figures(other, by))
    return (*taken[True], *taken[False])


def _chart(chip: Chip, group: tuple[Chip, ...], by: str) -> doc.Bars:
    name = _NAMES.get(by, f"{by}, dense")
    values = [(other, measure(other, by)) for other in group]
    values.sort(key=lambda item: (item[1] is None, -(item[1] or 0.0), item[0].name))
    bars = tuple(
        doc.Bar(
            name=other.name,
            value=value,
            text="unknown" if value is None else measure_text(value, by),
            chosen=other is chip,
        )
        for other, value in values
    )
    said = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    return doc.Bars(
        title=name, description=f"{chip.name} compared with the chips closest to it, by {name}: {said}.", bars=bars
    )


def _figures(chip: Chip, by: str) -> tuple[str | None, ...]:
    """Return the figures to two digits: chips with equal ones are duplicates, of which one is enough."""
    values = (measure(chip, each) for each in (by, "memory", "bandwidth"))
    return tuple(None if value is None else f"{value:.1e}" for value in values)


def _years_apart(chip: Chip, other: Chip) -> int:
    years = [int(text[:4]) for text in (chip.released or "", other.released or "") if text[:4].isdecimal()]
    return abs(years[0] - years[1]) if len(years) == 2 else 99
