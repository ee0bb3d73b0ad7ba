"""The page on one chip, or on several side by side: rows of text, which rich draws on a terminal.

For a pipe this module prints them itself, one line per row, without rich: importing it takes as long as the rest of the
command.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from accel.apps.render.chip_words import chip_facts, format_text, peak_text, rate_unit, released_text
from accel.apps.render.units import bytes_text, number_text, rate_text
from accel.model.dataclass import dataclass
from accel.model.rates import rates

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.specs.architectures import Architecture
    from accel.specs.sources import Citation

_RULE = "─"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """heads: the column headers, () if none; each row has one cell per column, the first of which names the row."""

    title: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]
    sources: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the page for a pipe: lines are never wrapped."""
        if self.title:
            yield self.title
        table = [row for row in (self.heads, *self.rows) if row]
        widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))] if table else []
        for number, row in enumerate(table):
            first, *others = row
            cells = [cell.rjust(width) if self.heads else cell for cell, width in zip(others, widths[1:], strict=True)]
            yield "  ".join((first.ljust(widths[0]), *cells)).rstrip()
            if self.heads and number == 0:
                yield _RULE * (sum(widths) + 2 * len(others))
        yield from self.remarks
        yield from self.sources


def chip_page(chip: "Chip", architecture: "Architecture | None", sources: "Sequence[Citation]") -> Page:
    """Return everything known about one chip, then what is unknown, and the sources."""
    facts = chip_facts(chip, architecture)
    known = [(label, value) for label, value in facts if value not in (None, "?")]
    unknown = [label for label, value in facts if value in (None, "?")] + ([] if rates(chip) else ["rates"])
    return Page(
        title=chip.name,
        rows=(*((label, str(value)) for label, value in known), *((format_text(r), peak_text(r)) for r in rates(chip))),
        remarks=(
            *((f"Not known: {', '.join(unknown)}.",) if unknown else ()),
            *((f"Note: {chip.note}.",) if chip.note else ()),
            f"Rates are dense: without structured sparsity. Confidence: {chip.confidence}.",
        ),
        sources=("Sources:", *map(_cited, sources)),
    )


def _cited(source: "Citation") -> str:
    address = "" if source.address == source.title else f", {source.address}"
    return f"  {source.title}{address}" + (f" ({source.remark})" if source.remark else "")


def comparison_page(chips: "Sequence[Chip]") -> Page:
    """Return chips side by side; each number with its ratio to the first chip's."""
    return Page(
        heads=("", *(chip.name for chip in chips)),
        rows=tuple(
            (label, *(f"{text}{_ratio(value, values[0])}" for text, value in zip(texts, values, strict=True)))
            for label, texts, values in _rows(chips)
            if any(text != "?" for text in texts)
        ),
        remarks=("× compares with the first column. Rates are dense: without structured sparsity.",),
    )


def _rows(chips: "Sequence[Chip]") -> list[tuple[str, list[str], list[float | None]]]:
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


def _row(label: str, values: "Sequence[float | None]", unit: str) -> tuple[str, list[str], list[float | None]]:
    return label, [rate_text(value, unit) for value in values], list(values)


def _ratio(value: float | None, first: float | None) -> str:
    return "" if not value or not first else f"  {value / first:.2f}×"
