"""Advice, and the contents of a framework's memory snapshot file, as paragraphs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from accel.apps.render.page import Paragraph
from accel.apps.render.units import plural
from accel.model.device import Gap
from accel.model.work import Program
from accel.watch.advise.advice import Advice
from accel.watch.advise.look import Cause, percent
from accel.watch.advise.memory.picture import MemoryPicture, Place, Pool, size_text

_SURE = {"high": "very likely", "medium": "likely", "low": "possible"}


def advice_page(advice: Advice, program: Program | None) -> Iterator[Paragraph]:
    """Yield what was observed, each cause with its evidence and what to change, and what could not be determined."""
    yield Paragraph((_seen(advice, program), "bold"))
    if not advice.causes:
        yield Paragraph(_nothing(advice))
    for number, cause in enumerate(advice.causes, 1):
        yield from cause_lines(number, cause)
    yield from lacks(advice.unknown)


def cause_lines(number: int, cause: Cause) -> Iterator[Paragraph]:
    """Yield a cause with its evidence and what to change."""
    yield Paragraph("")
    about = f" ({', '.join(cause.devices)})" if cause.devices else ""
    cost = f", {percent(cause.share)} of the time" if cause.share is not None else ""
    yield Paragraph(
        (f"{cause.title}{about}", "bold"), f"  [{_SURE[cause.confidence]}{cost}]", label=str(number), room=2
    )
    for sentence in cause.evidence:
        yield Paragraph(sentence, label="-", room=1, indent=4)
    for change in cause.changes:
        yield Paragraph((change.text, ""), label="→", room=1, indent=4)
        if change.code is not None:
            yield Paragraph((change.code, "cyan"), indent=9, whole=True)


def lacks(unknown: Iterable[Gap]) -> Iterator[Paragraph]:
    """Yield what could not be determined, and why; nothing if everything was."""
    found = [Paragraph(f"{gap.fact}: {gap.reason}", indent=2) for gap in unknown]
    if found:
        yield Paragraph("")
        yield Paragraph(("Not known:", "dim"))
        yield from found


def _seen(advice: Advice, program: Program | None) -> str:
    """Return what was watched, and how busy the devices were."""
    devices = ", ".join(advice.devices)
    who = devices
    if program is not None:
        who = f"{program.name or 'process'} ({program.pid})" + (f" on {devices}" if devices else "")
    told = f"Watched {who} for {advice.seconds:.0f} s"
    if not advice.devices:
        return f"{told}: it uses no accelerator."
    if advice.busy_percent is None:
        return f"{told}: how busy they were is unknown."
    more = "" if advice.saturated_percent is None else f", saturated {advice.saturated_percent:.0f} %"
    return f"{told}: busy {advice.busy_percent:.0f} %{more}."


def _nothing(advice: Advice) -> str:
    if advice.verdict == "working":
        return "The devices work, and nothing that was observed slows them down."
    return "Nothing that was observed explains it. Watch while it should be working:  accel advise PID --seconds 60"


_MOST_PLACES: Final = 12
_NAMES: Final = {"torch": "torch's memory", "jax": "JAX's memory"}


def memory_page(picture: MemoryPicture, found: Sequence[Cause]) -> Iterator[Paragraph]:
    """Yield each device's memory, the code lines that allocated it, the findings, and what is unknown."""
    name = _NAMES.get(picture.framework, picture.framework)
    if not picture.pools:
        yield Paragraph((f"{name}: nothing is reserved and nothing in use.", "bold"))
    for number, pool in enumerate(picture.pools):
        if number:
            yield Paragraph("")
        yield Paragraph((f"{name} on {pool.device}: {size_text(pool.used_bytes)} in use", "bold"))
        yield from _pool(pool)
        yield from _places([one for one in picture.places if one.device == pool.device], pool)
    for failure in picture.failures[-3:]:
        left = "" if failure.device_free_bytes is None else f"; the driver had {size_text(failure.device_free_bytes)}"
        where = "" if failure.where is None else f", {failure.where}"
        asked = f"A request for {size_text(failure.asked_bytes)} found no room ({failure.device}{where}){left}."
        yield Paragraph("")
        yield Paragraph((asked, "bold"))
    for number, cause in enumerate(found, 1):
        yield from cause_lines(number, cause)
    if not found and picture.framework == "torch":
        yield Paragraph("")
        yield Paragraph("Nothing here needs a change.")
    yield from lacks(picture.unknown)


def _pool(pool: Pool) -> Iterator[Paragraph]:
    if pool.reserved_bytes is None:
        return
    segments = f" in {plural(pool.segments, 'segment')}" if pool.segments is not None else ""
    rows = [("reserved", pool.reserved_bytes, segments)]
    if pool.requested_bytes is not None and pool.requested_bytes != pool.used_bytes:
        rows.append(("asked for", pool.requested_bytes, ", before sizes were rounded up"))
    if pool.waiting_bytes:
        rows.append(("waiting", pool.waiting_bytes, ", freed while another stream may still use it"))
    if pool.split_free_bytes:
        largest = f"; the largest free piece has {size_text(pool.largest_free_bytes or 0)}"
        rows.append(("free, between", pool.split_free_bytes, f" between blocks in use{largest}"))
    if pool.whole_free_bytes:
        rows.append(("free, kept", pool.whole_free_bytes, " in segments of which nothing is in use"))
    for label, size, more in rows:
        yield Paragraph(f"{size_text(size):>9}{more}", label=label, room=13, indent=2)


def _places(places: Sequence[Place], pool: Pool) -> Iterator[Paragraph]:
    """Yield the program's lines that hold the most memory; the remaining ones are summed."""
    if not any(one.where is not None for one in places):
        return
    yield Paragraph("")
    yield Paragraph(("  in use  share  blocks  allocated at", "dim"), whole=True)
    for one in places[:_MOST_PLACES]:
        kind = f" ({one.kind})" if one.kind not in (None, "buffer") else ""
        yield Paragraph(_row(one.used_bytes, pool, one.blocks, (one.where or "not recorded") + kind), whole=True)
    rest = places[_MOST_PLACES:]
    if rest:
        size, blocks = sum(one.used_bytes for one in rest), sum(one.blocks for one in rest)
        yield Paragraph(_row(size, pool, blocks, plural(len(rest), "more line")), whole=True)


def _row(size: int, pool: Pool, blocks: int, where: str) -> str:
    share = percent(size / pool.used_bytes) if pool.used_bytes else "-"
    return f"{size_text(size):>8}  {share:>5}  {blocks:>6}  {where}"
