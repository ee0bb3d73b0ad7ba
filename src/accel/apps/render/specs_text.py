"""Specs of chips for people: one chip, several side by side, a list, a ladder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from accel.apps.render.chip_words import chip_facts, format_text, meaning_text, peak_text, rate_unit, released_text
from accel.apps.render.console import console
from accel.apps.render.stacked import stacked
from accel.apps.render.units import bytes_text, number_text, rate_text
from accel.model.chip import Chip
from accel.model.rates import best_rate, rates

if TYPE_CHECKING:
    from accel.names.meaning import Named
    from accel.specs.age import Age
    from accel.specs.architectures import Architecture
    from accel.specs.sources import Citation

_PIPED: Final = 1000  # columns of a list that a program reads
_BAR: Final = 32  # columns of a ladder's longest bar, on a wide terminal


def print_chip(chip: Chip, architecture: "Architecture | None", sources: "Sequence[Citation]") -> None:
    """Print everything that is known of one chip, then what is not known, and the sources."""
    out = console()
    out.print(Text(chip.name, style="bold"))
    table = _grid()
    unknown = []
    for label, value in chip_facts(chip, architecture):
        if value in (None, "?"):
            unknown.append(label)
        else:
            table.add_row(label, value)
    for rate in rates(chip):
        table.add_row(format_text(rate), peak_text(rate))
    out.print(stacked(table, out))
    if not rates(chip):
        unknown.append("rates")
    if unknown:
        out.print(Text(f"Not known: {', '.join(unknown)}.", style="dim"))
    if chip.note:
        out.print(Text(f"Note: {chip.note}."))
    out.print(Text(f"Rates are dense: without structured sparsity. Confidence: {chip.confidence}.", style="dim"))
    out.print(Text("Sources:", style="dim"))
    for source in sources:
        address = "" if source.address == source.title else f", {source.address}"
        remark = f" ({source.remark})" if source.remark else ""
        out.print(Text(f"  {source.title}{address}{remark}", style="dim"), soft_wrap=True)


def print_comparison(chips: Sequence[Chip]) -> None:
    """Print chips side by side; each number with its ratio to the first chip's."""
    out = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("")
    for chip in chips:
        table.add_column(chip.name, justify="right", overflow="fold")
    for label, texts, values in _rows(chips):
        if any(text != "?" for text in texts):
            table.add_row(label, *(f"{t}{_ratio(v, values[0])}" for t, v in zip(texts, values, strict=True)))
    out.print(stacked(table, out))
    out.print(Text("× compares with the first column. Rates are dense: without structured sparsity.", style="dim"))


def print_list(chips: Sequence[Chip]) -> None:
    """Print a line a chip; where it is piped, whatever its length."""
    out = console()
    if not out.is_terminal:
        out.width = _PIPED
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("name", "vendor", "architecture"):
        table.add_column(name, overflow="fold")
    for name in ("memory", "bandwidth", "16-bit", "power", "released"):
        table.add_column(name, justify="right", no_wrap=True)
    for chip in chips:
        table.add_row(
            chip.name,
            chip.vendor,
            chip.architecture,
            bytes_text(chip.memory_bytes),
            rate_text(chip.memory_bandwidth_bytes_per_second, "B/s"),
            rate_text(best_rate(chip, "bf16") or best_rate(chip, "fp16")),
            number_text(chip.tdp_watts, "W"),
            released_text(chip) or "?",
        )
    out.print(stacked(table, out))
    out.print(
        Text(f"{len(chips)} {'chip' if len(chips) == 1 else 'chips'}. One of them:  accel specs show NAME", style="dim")
    )


def print_meaning(named: "Named") -> None:
    """Print what a name means: the machine or the part if it is one, then a line for each chip."""
    out = console()
    out.print(Text(meaning_text(named) or f"{named.asked}: {_products(len(named.chips))}", style="bold"))
    print_list(named.chips)


def _products(count: int) -> str:
    return "one product" if count == 1 else f"{count} products; the name does not tell which"


def print_ladder(ladder: Sequence[tuple[Chip, float]], texts: Sequence[str], by: str, left_out: int) -> None:
    """Print a bar for each chip, the longest first."""
    out = console()
    most = max((value for _, value in ladder), default=0.0) or 1.0
    names = max((len(_staged(chip)) for chip, _ in ladder), default=0)
    width = max(8, min(_BAR, out.width - min(names, 36) - 20))
    table = _grid(justify_second="right")
    table.add_column(no_wrap=True)
    for (chip, value), text in zip(ladder, texts, strict=True):
        table.add_row(_staged(chip), text, Text("█" * max(1, round(width * value / most)), style="cyan"))
    out.print(Text(f"By {by}, dense", style="bold"))
    out.print(table)
    if left_out:
        out.print(Text(f"{left_out} chips left out: their {by} is not known.", style="dim"))


def _staged(chip: Chip) -> str:
    """Return a chip's name, with its stage where it is not on sale: "MTIA 500 (announced)"."""
    return f"{chip.name} ({chip.stage})" if chip.stage else chip.name


def print_matches(rows: Sequence[tuple[str, str | None, Chip | None]]) -> None:
    """Print devices, each with the chip that it was matched to."""
    out: Console = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("device", "says it is", "spec"):
        table.add_column(heading, overflow="fold")
    for heading in ("memory", "bandwidth", "16-bit", "power"):
        table.add_column(heading, justify="right", no_wrap=True)
    for identity, name, chip in rows:
        if chip is None:
            table.add_row(identity, name or "?", "not in the database, or several fit", "?", "?", "?", "?")
            continue
        table.add_row(
            identity,
            name or "?",
            chip.name,
            bytes_text(chip.memory_bytes),
            rate_text(chip.memory_bandwidth_bytes_per_second, "B/s"),
            rate_text(best_rate(chip, "bf16") or best_rate(chip, "fp16")),
            number_text(chip.tdp_watts, "W"),
        )
    out.print(stacked(table, out))


def print_ages(ages: "Sequence[Age]") -> None:
    """Print when each table was checked last, and compared with its package index, and what it covers up to."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("table", "checked", "compared", "covers up to"):
        table.add_column(heading, overflow="fold")
    table.add_column("records", justify="right", no_wrap=True)
    for age in ages:
        table.add_row(age.subject, age.checked or "?", age.compared or "-", age.covers or "?", str(age.records))
    out = console()
    out.print(stacked(table, out))


def _rows(chips: Sequence[Chip]) -> list[tuple[str, list[str], list[float | None]]]:
    rows: list[tuple[str, list[str], list[float | None]]] = [
        ("architecture", [chip.architecture for chip in chips], [None] * len(chips)),
        ("released", [released_text(chip) or "?" for chip in chips], [None] * len(chips)),
        ("memory", [bytes_text(chip.memory_bytes) for chip in chips], [chip.memory_bytes for chip in chips]),
        _row("bandwidth", [chip.memory_bandwidth_bytes_per_second for chip in chips], "B/s"),
        ("power", [number_text(chip.tdp_watts, "W") for chip in chips], [chip.tdp_watts for chip in chips]),
        _row("link", [chip.link_bytes_per_second for chip in chips], "B/s"),
    ]
    seen = dict.fromkeys((rate.key, format_text(rate), rate.dtype) for chip in chips for rate in rates(chip))
    for key, label, dtype in seen:
        rows.append(
            _row(label, [(chip.dense_operations_per_second or {}).get(key) for chip in chips], rate_unit(dtype))
        )
    return rows


def _row(label: str, values: Sequence[float | None], unit: str) -> tuple[str, list[str], list[float | None]]:
    return label, [rate_text(value, unit) for value in values], list(values)


def _ratio(value: float | None, first: float | None) -> str:
    return "" if not value or not first else f"  {value / first:.2f}×"


def _grid(justify_second: str = "left") -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold" if justify_second == "left" else None, overflow="fold")
    table.add_column(justify="right" if justify_second == "right" else "left", overflow="fold")
    return table
