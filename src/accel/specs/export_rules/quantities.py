"""The quantities that export rules test, derived from a chip's record with every step recorded.

A figure that the record lacks leaves its quantity open, possibly with a lower bound; it is never assumed to be small.
Source  the definitions in specs/restrictions/export_control.yaml
"""

from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass, field
from accel.model.rates import BITS, rates
from accel.specs.export_rules.three_valued import INFINITE, Bounds, exactly

_LANE: Final = {1: 0.5, 2: 1.0, 3: 2.0, 4: 4.0, 5: 8.0, 6: 16.0, 7: 32.0}  # GB/s a lane, both directions
_WIDEST_BUS: Final = {"2022": 128.0, "2025": 256.0}  # GB/s: PCIe 5 x16 until 2024, PCIe 6 x16 from then on


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantities:
    """A chip's quantities. numbers: by the rules' names, in TPP, TPP per mm² and GB/s; steps: the arithmetic.

    for_data_centres  designed or marketed for data centres; None if unknown
    available         the earliest and the latest first day of sale: ("2024-01-01", "2024-12-31")
    """

    numbers: dict[str, Bounds]
    for_data_centres: bool | None
    available: tuple[str, str] | None
    steps: tuple[str, ...]
    unknown: tuple[str, ...] = field(default=())


def quantities(chip: Chip, matrix_dtypes: tuple[str, ...] | None) -> Quantities:
    """Derive a chip's quantities. matrix_dtypes: formats of its architecture's matrix units; None if unknown.

    A board with several chips is counted per chip: board figures are divided by devices_per_board.
    """
    steps: list[str] = []
    unknown: list[str] = []
    share = chip.devices_per_board or 1
    if share > 1:
        steps.append(f"One chip is judged: the board's figures are divided by its {share} chips.")
    performance = _performance(chip, matrix_dtypes, share, steps, unknown)
    density = _density(chip, performance, steps, unknown)
    io = _io(chip, share, steps, unknown)
    memory = _memory(chip, share, steps, unknown)
    return Quantities(
        numbers={
            "processing_performance": performance,
            "performance_density": density,
            "io_bandwidth": io,
            "memory_bandwidth": memory,
            "memory_and_io_bandwidth": memory.plus(io),
        },
        for_data_centres=chip.marketed_for_datacenter,
        available=_days(chip.released),
        steps=tuple(steps),
        unknown=tuple(unknown),
    )


def _performance(
    chip: Chip, matrix_dtypes: tuple[str, ...] | None, share: int, steps: list[str], unknown: list[str]
) -> Bounds:
    counted = [rate for rate in rates(chip) if rate.dtype in BITS]  # tf32 is left out: fp16 never has less
    if not counted:
        steps.append("TPP: no peak rate is known, so it is undecided.")
        unknown.append("peak rates")
        return Bounds()
    products = {r.key: r.operations_per_second / share / 1e12 * BITS[r.dtype] for r in counted}
    best = max(counted, key=lambda rate: products[rate.key])
    value = products[best.key]
    tera = best.operations_per_second / share / 1e12
    steps.append(f"TPP = {tera:.1f} tera-operations/s ({best.key}, dense) × {BITS[best.dtype]} bits = {value:.0f}")
    others = [f"{r.key} {products[r.key]:.0f}" for r in counted if r is not best]
    if others:
        steps.append(f"  the other formats give less or as much: {', '.join(others)}")
    if matrix_dtypes != () and not any(rate.unit == "matrix" for rate in counted):
        steps.append(f"  but no rate of its matrix units is known, so TPP is {value:.0f} or more.")
        unknown.append("rates of the matrix units")
        return Bounds(low=value)
    return exactly(value)


def _density(chip: Chip, performance: Bounds, steps: list[str], unknown: list[str]) -> Bounds:
    area = chip.die_area_mm2
    if chip.die_non_planar is False:
        steps.append("Performance density: the die is planar, so no area counts; treated as undecided.")
        unknown.append("an applicable die area (the die is planar)")
        return Bounds()
    if area is None or chip.die_non_planar is None:
        what = "the area of the logic dies" if area is None else "whether the transistors are non-planar"
        steps.append(f"Performance density: {what} is unknown, so it is undecided.")
        unknown.append(what)
        return Bounds()
    low = performance.low / area
    more = "" if performance.known else " or more"
    steps.append(f"Performance density = {performance.low:.0f} ÷ {area:g} mm² of logic dies = {low:.2f}{more}")
    return Bounds(low=low, high=low if performance.known else INFINITE)


def _io(chip: Chip, share: int, steps: list[str], unknown: list[str]) -> Bounds:
    link, link_text = _link(chip, share)
    bus, bus_text = _bus(chip)
    total = link.plus(bus)
    if link.known and bus.known:
        steps.append(f"I/O = {link_text} + {bus_text} = {total.low:.0f} GB/s, both directions")
        return total
    unknown.append("I/O bandwidth")
    most = f" and at most {total.high:.0f}" if total.high < INFINITE else ""
    steps.append(f"I/O = {link_text} + {bus_text}: {total.low:.0f} GB/s or more{most}")
    return total


def _link(chip: Chip, share: int) -> tuple[Bounds, str]:
    if chip.link_bytes_per_second is not None:
        value = chip.link_bytes_per_second / share / 1e9
        return exactly(value), f"{chip.link_type or 'links'} {value:g}"
    if chip.link_type is None and chip.pcie_generation is not None:
        return exactly(0.0), "no chip-to-chip link"
    return Bounds(), "links of unknown speed"


def _bus(chip: Chip) -> tuple[Bounds, str]:
    if chip.pcie_generation in _LANE and chip.pcie_lanes is not None:
        value = _LANE[chip.pcie_generation] * chip.pcie_lanes
        return exactly(value), f"PCIe {chip.pcie_generation}.0 x{chip.pcie_lanes} {value:g}"
    most = next((speed for year, speed in reversed(_WIDEST_BUS.items()) if (chip.released or "9") >= year), 64.0)
    return Bounds(high=most), f"a host bus that is not known (0 to {most:g}, the widest of its year)"


def _memory(chip: Chip, share: int, steps: list[str], unknown: list[str]) -> Bounds:
    if chip.memory_bandwidth_bytes_per_second is None:
        steps.append("Memory bandwidth: unknown, so it is undecided.")
        unknown.append("memory bandwidth")
        return Bounds()
    if chip.memory_type and "SRAM" in chip.memory_type.upper():
        steps.append("Memory bandwidth = 0: on-chip SRAM is no DRAM")
        return exactly(0.0)
    value = chip.memory_bandwidth_bytes_per_second / share / 1e9
    steps.append(f"Memory bandwidth = {value:.0f} GB/s")
    return exactly(value)


def _days(released: str | None) -> tuple[str, str] | None:
    """Return the first and the last day that "2024-05-12", "2024-05", "2024", "2026-Q1" and "2026-H2" can mean.

    >>> _days("2026-H2"), _days("2024-05")
    (('2026-07-01', '2026-12-31'), ('2024-05-01', '2024-05-31'))
    """
    if not released or not released[:4].isdecimal():
        return None
    year, part = released[:4], released[5:]
    spans = {"": "01-01 12-31", "Q1": "01-01 03-31", "Q2": "04-01 06-30", "Q3": "07-01 09-30", "Q4": "10-01 12-31"}
    spans |= {"H1": "01-01 06-30", "H2": "07-01 12-31"}
    if part in spans:
        first, last = spans[part].split()
        return f"{year}-{first}", f"{year}-{last}"
    return (released, released) if len(part) == 5 else (f"{released}-01", f"{released}-31")
