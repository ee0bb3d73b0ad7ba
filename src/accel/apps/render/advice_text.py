"""Formats advice as paragraphs."""

from collections.abc import Iterable, Iterator

from accel.apps.render.page import Paragraph
from accel.model.device import Gap
from accel.model.work import Program
from accel.watch.advise.advice import Advice
from accel.watch.advise.look import Cause, percent

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
