"""What devices reached in a saved benchmark: bars relative to their peaks, the roofline, and what limited them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.apps.render.bench_text import bench_notes, device_title, head, measure_name, value_text
from accel.apps.render.report.document import Bar, Bars, Block, Charts, Group, Lines, Paragraph, Picture, Section, Table
from accel.apps.render.roofline_svg import MOST_ROOFS, Roof, description, roofline_svg

if TYPE_CHECKING:
    from accel.measure.bench.records import Bench, Benched, Measure

_IN_A_CHART = 24


def benchmark(bench: "Bench") -> Section:
    """Return the chapter; a device without measurements is left out."""
    blocks: list[Block] = [Paragraph(text=head(bench))]
    for device in bench.devices:
        mine = [one for one in bench.measures if one.device == device.id]
        if mine:
            blocks.append(Group(title=device_title(device), blocks=tuple(_blocks(device, mine))))
    notes = bench_notes(bench)
    if notes:
        blocks.append(Lines(items=notes))
    return Section(name="benchmark", title="Benchmark", blocks=tuple(blocks))


def _blocks(device: "Benched", measures: "Sequence[Measure]") -> list[Block]:
    blocks: list[Block] = []
    shared = [one for one in measures if one.state == "measured" and one.share is not None and one.peak]
    if shared:
        blocks.append(Charts(charts=(_bars(shared[:_IN_A_CHART]),)))
    picture = _roofline(device, measures)
    if picture is not None:
        blocks.append(picture)
    blocks.append(
        Table(
            caption="What was measured",
            columns=("measure", "median", "spread", "peak", "published", "of the peak"),
            rows=tuple(_row(one) for one in measures if one.state == "measured"),
            numeric=frozenset(("median", "spread", "peak", "published", "of the peak")),
        )
    )
    limits = dict.fromkeys(limit.text for one in measures for limit in one.limited_by)
    if limits:
        blocks.append(Lines(title="What limited it", items=tuple(limits)))
    reasons = dict.fromkeys(
        f"{measure_name(one)}: {one.reason or 'it was not reached'}" for one in measures if one.state != "measured"
    )
    if reasons:
        blocks.append(Lines(title="Without a figure", items=tuple(reasons)))
    return blocks


def _bars(measures: "Sequence[Measure]") -> Bars:
    bars = tuple(
        Bar(
            name=measure_name(one),
            value=one.share,
            text=f"{one.share:.0%} of {value_text(one.peak, one.unit, one.name)}",
        )
        for one in measures
    )
    said = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    return Bars(title="Share of the peak", description=f"Share of the peak: {said}.", bars=bars, whole=1.0)


def _row(one: "Measure") -> tuple[str | None, ...]:
    figures = (one.value, one.peak, one.reached)
    value, peak, reached = (None if x is None else value_text(x, one.unit, one.name) for x in figures)
    spread = None if one.spread is None else f"±{one.spread:.0%}"
    return (measure_name(one), value, spread, peak, reached, None if one.share is None else f"{one.share:.0%}")


def _roofline(device: "Benched", measures: "Sequence[Measure]") -> Picture | None:
    """Return the picture; None if arithmetic or memory was not measured."""
    memory = max(
        (one for one in measures if one.kind == "memory" and one.value), key=lambda m: m.value or 0, default=None
    )
    roofs = [
        Roof(one.name.removeprefix("matmul "), one.peak or None, one.value)
        for one in measures
        if one.kind == "matmul" and one.value
    ]
    if memory is None or not memory.value or not roofs:
        return None
    highest = sorted(roofs, key=lambda roof: -roof.reached)[:MOST_ROOFS]
    title = f"Roofline of {device.id}"
    peak = memory.peak or None
    return Picture(
        title=title,
        description=description(peak, memory.value, highest),
        svg=roofline_svg(title, peak, memory.value, highest),
    )
