"""Compares a chip with those nearest to it in speed."""

from math import log
from typing import Final

from accel.apps.render.chip_words import measure_text
from accel.apps.render.report.document import Bar, Bars
from accel.model.rates import measure
from accel.specs import Chip, Specs

_SIDE: Final = 3  # number of faster peers, and of slower ones
_OF_ONE_ARCHITECTURE: Final = 2
_SPEEDS: Final = ("bf16", "fp16", "fp32", "int8")  # the first one known for the chip is used for comparison
_NAMES: Final = {"memory": "Memory", "bandwidth": "Memory bandwidth"}


def charts(specs: Specs, chip: Chip) -> tuple[Bars, ...]:
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


def _chart(chip: Chip, group: tuple[Chip, ...], by: str) -> Bars:
    name = _NAMES.get(by, f"{by}, dense")
    values = [(other, measure(other, by)) for other in group]
    values.sort(key=lambda item: (item[1] is None, -(item[1] or 0.0), item[0].name))
    bars = tuple(
        Bar(
            name=other.name,
            value=value,
            text="unknown" if value is None else measure_text(value, by),
            chosen=other is chip,
        )
        for other, value in values
    )
    said = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    return Bars(
        title=name, description=f"{chip.name} compared with the chips closest to it, by {name}: {said}.", bars=bars
    )


def _figures(chip: Chip, by: str) -> tuple[str | None, ...]:
    """Return the figures to two digits: chips with equal ones are duplicates, of which one is enough."""
    values = (measure(chip, each) for each in (by, "memory", "bandwidth"))
    return tuple(None if value is None else f"{value:.1e}" for value in values)


def _years_apart(chip: Chip, other: Chip) -> int:
    years = [int(text[:4]) for text in (chip.released or "", other.released or "") if text[:4].isdecimal()]
    return abs(years[0] - years[1]) if len(years) == 2 else 99
