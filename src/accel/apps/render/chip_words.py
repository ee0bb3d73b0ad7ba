"""The facts of a chip as text."""

from typing import TYPE_CHECKING

from accel.apps.render.units import bytes_text, number_text, rate_text
from accel.model.chip import Chip
from accel.model.rates import Rate

if TYPE_CHECKING:
    from accel.names.meaning import Named
    from accel.specs.architectures import Architecture


def chip_facts(chip: Chip, architecture: "Architecture | None") -> list[tuple[str, str | None]]:
    """Return every fact except the rates, with its name; None or "?" if unknown."""
    code = chip.compute_capability or chip.compute_target
    board = f"{chip.devices_per_board} devices a board" if chip.devices_per_board else ""
    area = f"{chip.die_area_mm2:g} mm²" if chip.die_area_mm2 is not None else None
    slots = f"PCIe {chip.pcie_generation}.0 x{chip.pcie_lanes}" if chip.pcie_generation and chip.pcie_lanes else None
    link = f"{chip.link_type} {rate_text(chip.link_bytes_per_second, 'B/s')}" if chip.link_type else None
    partitions = None if chip.mig_instances_max is None else str(chip.mig_instances_max or "none")
    return [
        ("vendor", chip.vendor),
        ("architecture", f"{chip.architecture}{f' ({code})' if code else ''}"),
        ("kind", " · ".join(filter(None, (chip.kind, chip.segment, board)))),
        ("memory", f"{bytes_text(chip.memory_bytes)} {chip.memory_type or ''}".strip() if chip.memory_bytes else None),
        ("memory bandwidth", rate_text(chip.memory_bandwidth_bytes_per_second, "B/s")),
        ("power", number_text(chip.tdp_watts, "W")),
        ("host bus", slots),
        ("link", "none" if chip.linked is False else link),
        ("die", " ".join(filter(None, (chip.die_name, area, chip.die_process))) or None),
        ("MIG instances", partitions),
        ("released", released_text(chip)),
        ("formats", ", ".join(architecture.dtypes) if architecture and architecture.dtypes else None),
        ("PCI ids", ", ".join(chip.pci_ids) if chip.pci_ids else None),
        ("other names", ", ".join((*chip.aliases, *chip.families)) or None),
    ]


def released_text(chip: Chip) -> str | None:
    """Return the release date, and the stage if it is not on sale: "2027 · announced"; None if both are unknown."""
    return " · ".join(filter(None, (chip.released, chip.stage))) or None


def meaning_text(named: "Named") -> str | None:
    """Return what a name means if it is not the name of a chip; None if it is, or if it is unknown.

    "p5.48xlarge (AWS): 8 × H100 SXM5 80GB", "MIG 1g.10gb: a part of A100 SXM4 80GB",
    "gfx90a: the target of 3 products", "2 × GeForce RTX 4090; Tesla P40",
    "Lenovo RTX 4080 Laptop: GeForce RTX 4080 Laptop GPU (left aside: lenovo)"
    """
    if not named.chips:
        return None
    text = "; ".join(_each_text(one) for one in named.each) or _meaning_text(named)
    if named.times and named.machine is None:
        text = text or f"{named.asked}: {named.times} × {_chips_text(named)}"
    if named.altered:
        text = f"{text or f'{named.asked}: {_chips_text(named)}'}, altered. {_altered_text(named)}"
    if named.aside:
        text = f"{text or f'{named.asked}: {_chips_text(named)}'} (ignored: {', '.join(named.aside)})"
    return text


def _altered_text(named: "Named") -> str:
    """Return a note on a card that was modified to have more memory than its maker gave it."""
    sizes = sorted({round(chip.memory_bytes / 2**30) for chip in named.chips if chip.memory_bytes})
    own = " or ".join(map(str, sizes))
    return f"Its maker sells it with {own} GB, not {named.altered} GB; all figures are those of the maker's card"


def _each_text(one: "Named") -> str:
    if one.machine is not None or one.part is not None:
        return _meaning_text(one) or one.asked
    return f"{one.times} × {_chips_text(one)}" if one.times else _chips_text(one)


def _chips_text(named: "Named") -> str:
    return (
        " or ".join(chip.name for chip in named.chips)
        if len(named.chips) < 4
        else f"one of {len(named.chips)} products"
    )


def _meaning_text(named: "Named") -> str | None:
    chips, machine = " or ".join(chip.name for chip in named.chips), named.machine
    if machine is not None:
        maker = f" ({machine.maker})" if machine.maker else ""
        many = f"{machine.share} of one " if machine.share else f"{machine.count} × " if machine.count else ""
        each = f"{named.times} × " if named.times else ""
        return f"{each}{machine.name}{maker}: {'each ' if each else ''}{many}{chips}"
    if named.part is not None:
        return f"{named.part}: a part of {chips if len(named.chips) < 4 else f'any of {len(named.chips)} products'}"
    shared = {
        "target": "the target",
        "die": "the die",
        "pci id": "the PCI id",
        "series": "the series or generation",
    }.get(named.by)
    return (
        f"{named.asked}: {shared} of {chips if len(named.chips) == 1 else f'{len(named.chips)} products'}"
        if shared
        else None
    )


def format_text(rate: Rate) -> str:
    """Return "bf16 matrix, sums in fp32"."""
    summed = f", sums in {rate.accumulator}" if rate.accumulator and rate.unit == "matrix" else ""
    return f"{rate.dtype} {rate.unit}{summed}"


def peak_text(rate: Rate) -> str:
    """Return "989 TFLOPS"."""
    return rate_text(rate.operations_per_second, rate_unit(rate.dtype))


def measure_text(value: float, by: str) -> str:
    """Return a figure with its unit: "989 TFLOPS", "3.3 TFLOPS/W", "80.0 GiB", "700 W"."""
    first, _, second = by.partition("/")
    per = "/W" if second in ("watt", "watts", "tdp", "w") else f"/{second}" if second else ""
    if first == "memory":
        return f"{value / 2**30:.3g} GiB{per}" if per else bytes_text(int(value))
    if first in ("tdp", "watt", "watts", "w"):
        return f"{value:.3g} W{per}"
    if first in ("bandwidth", "link"):
        return rate_text(value, "B/s") + per
    return rate_text(value, rate_unit(first)) + per


def rate_unit(dtype: str) -> str:
    """Return "OPS" for integer types, else "FLOPS"."""
    return "OPS" if dtype.startswith("int") else "FLOPS"
