"""Whether a model fits the machine's devices: bytes by part as bars, and a verdict for each device."""

from typing import TYPE_CHECKING

from accel.apps.render.fit_text import count_text, parts, rate, shown
from accel.apps.render.report.document import Bar, Bars, Block, Charts, Lines, Paragraph, Section, Table
from accel.apps.render.units import bytes_text

if TYPE_CHECKING:
    from accel.apps.fitting import Fit
    from accel.footprint.verdict import Verdict

_SAID = {True: "fits", False: "does not fit", None: "may or may not fit"}


def fit(answer: "Fit") -> Section:
    """Return the chapter; only the bytes if the machine has no accelerators."""
    model, need = answer.model, answer.verdicts[0].need
    title = f"{shown(model.name or model.family or 'model')}, {count_text(model.parameters)} parameters"
    band = f"{bytes_text(need.total_bytes)} of one device, between {bytes_text(need.low)} and {bytes_text(need.high)}"
    bars = tuple(Bar(name=label, value=size, text=bytes_text(size)) for label, size in parts(need))
    inside = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    how = f"weights in {need.quant or need.dtype}, context {need.context}, batch {answer.plan.batch}"
    blocks: list[Block] = [
        Paragraph(text=f"{title}, {how}: {band}."),
        Charts(charts=(Bars(title="Bytes by part", description=inside, bars=bars, whole=need.total_bytes),)),
        Table(
            caption="Verdict by device",
            columns=("device", "verdict", "memory", "to spare", "tokens/s at most"),
            rows=tuple(_row(one) for one in answer.verdicts),
            numeric=frozenset(("memory", "to spare", "tokens/s at most")),
        ),
    ]
    notes = (*model.gaps, *answer.gaps, *need.notes)
    if notes:
        blocks.append(Lines(items=notes))
    return Section(name="fit", title="Will it fit", blocks=tuple(blocks))


def _row(one: "Verdict") -> tuple[str | None, ...]:
    target, speed = one.target, one.tokens_per_second_at_most
    said = _SAID[one.fits] if target.usable_bytes is not None else None
    spare = None if one.spare_bytes is None else f"{one.spare_bytes / 2**30:.1f} GiB"
    memory = None if target.usable_bytes is None else bytes_text(target.usable_bytes)
    return (f"{target.id or ''} {target.name}".strip(), said, memory, spare, None if speed is None else rate(speed))
