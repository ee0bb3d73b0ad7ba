"""The chapter on a watch recording: a picture, and the same in figures."""

from typing import Final

from accel.apps.render.history_svg import UNITS, description, history_svg
from accel.apps.render.report.document import Lines, Paragraph, Picture, Section, Table
from accel.apps.render.units import utc_text
from accel.text.durations import span_text
from accel.watch.sampling.condensed import Condensed

_MOST: Final = 20  # events


def past(given: Condensed) -> Section:
    """Return the chapter."""
    if given.began is None or given.ended is None:
        told = Paragraph(text="The record contains no tick.", tone="quiet")
        return Section(name="past", title="Over time", blocks=(told,))
    span = f"{utc_text(given.began)} to {utc_text(given.ended)}, {span_text(given.seconds)}, {given.ticks} ticks."
    happened = [f"{span_text(seconds)} after the start: {one.text}" for seconds, one in given.happenings[:_MOST]]
    more = len(given.happenings) - _MOST
    if more > 0:
        happened.append(f"and {more} more")
    return Section(
        name="past",
        title="Over time",
        blocks=(
            Paragraph(text=span),
            Picture(title="Readings over time", description=description(given), svg=history_svg(given)),
            _figures(given),
            *((Lines(title="What happened", items=tuple(happened)),) if happened else ()),
        ),
    )


def _figures(given: Condensed) -> Table:
    readings = [name for name in given.readings if name in UNITS]
    columns = ["device", *(f"{UNITS[name][0].partition(':')[0].lower()} ({UNITS[name][2]})" for name in readings)]
    rows = []
    for device in given.names:
        row: list[str | None] = [device]
        for name in readings:
            steps = given.steps(device, name)
            means, lows, highs = (
                [value for value in (getattr(step, of) for step in steps) if value is not None]
                for of in ("mean", "least", "most")
            )
            if not means:
                row.append(None)
                continue
            factor = UNITS[name][1]
            mean = sum(means) / len(means) * factor
            row.append(f"{mean:.0f}, {min(lows) * factor:.0f} to {max(highs) * factor:.0f}")
        rows.append(tuple(row))
    return Table(
        caption="Mean, and least to most", columns=tuple(columns), rows=tuple(rows), numeric=frozenset(columns[1:])
    )
