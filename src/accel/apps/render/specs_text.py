"""Chip specs for people: one chip, several side by side, a list, a ladder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from accel.apps.render.chip_page import chip_page, comparison_page
from accel.apps.render.chip_words import meaning_text, released_text
from accel.apps.render.console import console
from accel.apps.render.stacked import stacked, table_of
from accel.apps.render.units import bytes_text, number_text, rate_text
from accel.model.chip import Chip
from accel.model.rates import best_rate

if TYPE_CHECKING:
    from accel.names.meaning import Named
    from accel.specs.age import Age
    from accel.specs.architectures import Architecture
    from accel.specs.sources import Citation

_PIPED: Final = 1000  # width in columns of a piped list
_BAR: Final = 32  # columns of a ladder's longest bar on a wide terminal


def print_chip(chip: Chip, architecture: "Architecture | None", sources: "Sequence[Citation]") -> None:
    """Print everything known about one chip, then what is unknown, and the sources."""
    out = console()
    page = chip_page(chip, architecture, sources)
    out.print(Text(page.title, style="bold"))
    table = _grid()
    for row in page.rows:
        table.add_row(*row)
    out.print(stacked(table, out))
    for line in page.remarks:
        out.print(Text(line, style="dim"))
    for line in page.sources:
        out.print(Text(line, style="dim"), soft_wrap=True)


def print_comparison(chips: Sequence[Chip]) -> None:
    """Print chips side by side; each number with its ratio to the first chip's."""
    out = console()
    page = comparison_page(chips)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(page.heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in page.rows:
        table.add_row(*row)
    out.print(stacked(table, out))
    for line in page.remarks:
        out.print(Text(line, style="dim"))


def print_list(chips: Sequence[Chip]) -> None:
    """Print one line per chip; if piped, lines are not wrapped."""
    out = console()
    if not out.is_terminal:
        out.width = _PIPED
    table = table_of(("name", "vendor", "architecture"), ("memory", "bandwidth", "16-bit", "power", "released"))
    for chip in chips:
        table.add_row(chip.name, chip.vendor, chip.architecture, *_figures(chip), released_text(chip) or "?")
    out.print(stacked(table, out))
    out.print(
        Text(f"{len(chips)} {'chip' if len(chips) == 1 else 'chips'}. One of them:  accel specs show NAME", style="dim")
    )


def _figures(chip: Chip) -> tuple[str, ...]:
    """Return memory, bandwidth, the rate with 16 bits, and power."""
    return (
        bytes_text(chip.memory_bytes),
        rate_text(chip.memory_bandwidth_bytes_per_second, "B/s"),
        rate_text(best_rate(chip, "bf16") or best_rate(chip, "fp16")),
        number_text(chip.tdp_watts, "W"),
    )


def print_meaning(named: "Named") -> None:
    """Print what a name means: the machine or partition if it is one, then one line per chip."""
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
    """Return a chip's name, with its stage if it is not on sale: "MTIA 500 (announced)"."""
    return f"{chip.name} ({chip.stage})" if chip.stage else chip.name


def print_matches(rows: Sequence[tuple[str, str | None, Chip | None]]) -> None:
    """Print devices, each with the chip it matches."""
    out: Console = console()
    table = table_of(("device", "says it is", "spec"), ("memory", "bandwidth", "16-bit", "power"))
    for identity, name, chip in rows:
        if chip is None:
            table.add_row(identity, name or "?", "not in the database, or several fit", "?", "?", "?", "?")
            continue
        table.add_row(identity, name or "?", chip.name, *_figures(chip))
    out.print(stacked(table, out))


def print_ages(ages: "Sequence[Age]") -> None:
    """Print when each table was last checked, and compared with its package index, and up to which version it goes."""
    table = table_of(("table", "checked", "compared", "covers up to"), ("records",))
    for age in ages:
        table.add_row(age.subject, age.checked or "?", age.compared or "-", age.covers or "?", str(age.records))
    out = console()
    out.print(stacked(table, out))


def _grid(justify_second: str = "left") -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold" if justify_second == "left" else None, overflow="fold")
    table.add_column(justify="right" if justify_second == "right" else "left", overflow="fold")
    return table
