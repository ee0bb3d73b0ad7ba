"""Figures that look odd compared with other products of the same die, the same line or the same generation."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any, Final

Record = dict[str, Any]
Chips = list[tuple[str, str, Record]]  # table name, place, record
Odd = tuple[str, str, str]  # place, field, sentence

_CLOSE: Final = 0.035  # share by which rounded figures may differ
_NUMBERED_BY_DIE: Final = "10de:"
_ODD_TIMES: Final = 4.0  # as far from the middle of its kin
_FP32: Final = "dense_operations_per_second.fp32"
_SLOW: Final = 0.66  # of the usual clock of a die
_ENOUGH: Final = 5  # products of a die that make a clock usual
_SAME_DIE: Final = ("die_process", "compute_capability", "compute_target", "die_non_planar")
_SERIES: Final = (  # the number that orders a product line, and possible suffixes, slowest first
    (r"(GeForce (?:RTX|GTX)) (\d{3,4})(?: (Ti SUPER|SUPER|Ti|D v2|D))?", ("D v2", "D", "", "SUPER", "Ti", "Ti SUPER")),
    (r"(Radeon RX) (\d{4})(?: (XTX|XT|GRE))?", ("GRE", "", "XT", "XTX")),
    (r"(Radeon PRO W)(\d{4})()", ("",)),
    (r"(RTX A)(\d{4})()", ("",)),
    (r"(RTX) (\d{4}) Ada Generation()", ("",)),
    (r"(RTX PRO) (\d{4}) Blackwell()", ("",)),
    (r"(Quadro RTX) (\d{4})()", ("",)),
    (r"(Quadro [PMK])(\d{4})()", ("",)),
    (r"(Arc [AB])(\d{3})()", ("",)),
)
_SMALLER: Final = ("Max-Q", "Laptop", "Mobile", "SFF")  # a part of fewer watts with the name of a desktop's


def odd_beside_others(
    chips: Chips, vendors: Mapping[str, str], generations: Mapping[str, str]
) -> Iterator[tuple[str, Odd]]:
    """Yield (table, what looks odd).

    Args:
        chips: every chip with its table and its place there.
        vendors: the vendor, by table.
        generations: the architecture of the table's chips, by table.
    """
    yield from _of_dies(chips, vendors)
    yield from _of_clocks(chips, vendors)
    yield from _of_blocks(chips)
    yield from _of_ladders(chips, generations)
    yield from _of_laptops(chips)
    yield from _of_generations(chips, vendors, generations)
    yield from _of_kin(chips, vendors)


def _of_dies(chips: Chips, vendors: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    """Yield differences between products of one die, reported for the minority."""
    dies: dict[tuple[str, str], Chips] = defaultdict(list)
    for chip in chips:
        if chip[2].get("die_name"):
            dies[vendors[chip[0]], chip[2]["die_name"]].append(chip)
    for (_, die), kin in dies.items():
        for field in _SAME_DIE:
            told = [(name, place, record[field]) for name, place, record in kin if record.get(field) is not None]
            yield from _fewer(die, field, told, lambda one, other: bool(one == other))
        areas = [(name, place, record["die_area_mm2"]) for name, place, record in kin if record.get("die_area_mm2")]
        counts = {record.get("die_count") or 1 for *_, record in kin}
        yield from _fewer(die, "die_area_mm2", areas, lambda one, other: _of_one_area(one, other, counts))  # noqa: B023


def _of_clocks(chips: Chips, vendors: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    """Yield clocks far below the usual one of a die: for two parts with one name, a table may give the slower one's."""
    dies: dict[tuple[str, str], list[tuple[float, str, str, Record]]] = defaultdict(list)
    for name, place, record in chips:
        clock = (record.get("rates_from") or {}).get("boost_megahertz")
        if clock and record.get("die_name"):
            dies[vendors[name], record["die_name"]].append((clock, name, place, record))
    for (_, die), kin in dies.items():
        usual = median(clock for clock, *_ in kin)
        for clock, name, place, record in kin if len(kin) >= _ENOUGH else ():
            if clock < _SLOW * usual and not any(word in record["name"] for word in _SMALLER):
                yield name, (place, "rates_from", f"{clock:g} MHz on a {die}, which others have with {usual:g} MHz")


def _of_blocks(chips: Chips) -> Iterator[tuple[str, Odd]]:
    """Yield dies that differ from those of the other PCI IDs in a block of 16: vendors number one die at a time."""
    blocks: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for name, place, record in chips:
        for number in record.get("pci_ids") or () if record.get("die_name") else ():
            if number.startswith(_NUMBERED_BY_DIE):
                die = record["die_name"].rstrip("AB")
                blocks[number[:-1]].append((die, name, place, number))
    for kin in blocks.values():
        dies = [die for die, *_ in kin]
        usual = max(dies, key=dies.count)
        for die, name, place, number in kin:
            if dies.count(usual) >= 3 * dies.count(die):
                yield name, (place, "die_name", f"{die}, and {number} lies among those of {usual}")


def _of_one_area(one: float, other: float, counts: set[int]) -> bool:
    """Return whether one area is a known multiple of the other: a record gives the area of one die, or of all."""
    return any(near(one * count, other) or near(one, other * count) for count in counts)


def _fewer(
    die: str, field: str, told: list[tuple[str, str, Any]], same: Callable[[Any, Any], bool]
) -> Iterator[tuple[str, Odd]]:
    values = [value for *_, value in told]
    usual = max(values, key=values.count) if values else None
    for name, place, value in told:
        if not same(value, usual) and values.count(usual) > values.count(value):
            yield name, (place, field, f"{value} on a {die}, which others have with {usual}")


def _of_ladders(chips: Chips, generations: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    lines: dict[tuple[Any, ...], list[tuple[int, int, Chips]]] = defaultdict(list)
    for chip in chips:
        rung = _rung(chip[2]["name"])
        if rung is not None:
            line, number, rank, smaller = rung
            # the digits before the last two are the generation, those two the rank: a 750 is not in the 980's line
            decade = number // (1000 if number > 999 else 100)
            lines[generations[chip[0]], line, decade, smaller].append((number, rank, [chip]))
    for rungs in lines.values():
        rungs.sort(key=lambda rung: rung[:2])
        for number, above in enumerate(rungs[1:]):
            below = rungs[number]
            (_, _, slower), (name, place, faster) = below[2][0], above[2][0]
            one, two = _fp32(slower), _fp32(faster)
            if above[0] > below[0] and one and two and two < one * (1 - _CLOSE):
                yield name, (place, _FP32, f"slower than {slower['name']}, which stands below it")


def _of_laptops(chips: Chips) -> Iterator[tuple[str, Odd]]:
    """Yield the figures in which a laptop part exceeds every desktop part of its name."""
    desks: dict[tuple[str, int, int], list[Record]] = defaultdict(list)
    laptops: list[tuple[tuple[str, int, int], str, str, Record]] = []
    for name, place, record in chips:
        rung = _rung(record["name"])
        if rung is None or not rung[0].startswith("GeForce"):
            continue
        if rung[3]:
            laptops.append((rung[:3], name, place, record))
        else:
            desks[rung[:3]].append(record)
    for key, name, place, record in laptops:
        for field in ("memory_bandwidth_bytes_per_second", "tdp_watts", _FP32):
            mine, others = _value(record, field), [value for desk in desks[key] if (value := _value(desk, field))]
            if mine and others and mine > max(others) * (1 + _CLOSE):
                yield name, (place, field, f"{mine:.4g}, more than the desktop's of that name, {max(others):.4g}")


def _value(record: Record, field: str) -> float | None:
    return _fp32(record) if field == _FP32 else record.get(field)


def _fp32(record: Record) -> float | None:
    value = (record.get("dense_operations_per_second") or {}).get("fp32")
    return float(value) if value else None


def _rung(name: str) -> tuple[str, int, int, str] | None:
    """Return the line, the number, the rank of the suffix, and "laptop" or "max-q" if applicable.

    None if not in a line.
    """
    smaller = next((word for word in _SMALLER if word in name), "")
    for shape, order in _SERIES:
        found = re.match(rf"{shape}(?![A-Za-z0-9])(?! Duo)", name)
        if found:
            return found[1], int(found[2]), order.index(found[3] or ""), smaller.lower()
    return None


def _of_generations(
    chips: Chips, vendors: Mapping[str, str], generations: Mapping[str, str]
) -> Iterator[tuple[str, Odd]]:
    """Yield products that do far more or far less per watt than their generation."""
    groups: dict[tuple[Any, ...], list[tuple[str, str, float]]] = defaultdict(list)
    for name, place, record in chips:
        fp32 = _fp32(record)
        if fp32 and record.get("tdp_watts"):
            key = (vendors[name], generations[name], record.get("segment"))
            groups[key].append((name, place, fp32 / record["tdp_watts"]))
    for members in groups.values():
        middle = median(value for *_, value in members)
        for name, place, value in members if len(members) > 3 else ():
            if not middle / _ODD_TIMES <= value <= middle * _ODD_TIMES:
                yield name, (place, "tdp_watts", f"{value / 1e9:.3g} GFLOPS a watt; its kin do {middle / 1e9:.3g}")


def _of_kin(chips: Chips, vendors: Mapping[str, str]) -> Iterator[tuple[str, Odd]]:
    """Yield variants without PCI IDs if other variants with the same driver name have some."""
    families: dict[tuple[str, str], Chips] = defaultdict(list)
    for name, place, record in chips:
        for family in record.get("families") or ():
            families[vendors[name], family].append((name, place, record))
    for (_, family), kin in families.items():
        printed = family.startswith(("NVIDIA ", "AMD ", "Intel(R) "))
        beside = next((record["name"] for _, _, record in kin if record.get("pci_ids")), None) if printed else None
        for name, place, record in kin if beside else ():
            if not record.get("pci_ids") and record.get("segment") not in ("soc", "embedded"):
                yield name, (place, "pci_ids", f"none, though {beside} has some and shares {family!r}")


def near(one: float, other: float, share: float = _CLOSE) -> bool:
    """Return whether both figures are the same up to rounding."""
    return abs(one - other) <= share * max(abs(one), abs(other))
