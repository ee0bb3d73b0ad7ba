"""The processes that hold devices, one line each, truncated only at the edge of a terminal."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from accel.apps.render.gaps_text import gap_lines
from accel.apps.render.page import Paragraph, columns_of
from accel.apps.render.units import bytes_text, of_text
from accel.apps.render.width import page_width
from accel.facts.ghost_words import remedies, why
from accel.facts.ghosts import is_much, unaccounted_bytes
from accel.text.durations import age_text

if TYPE_CHECKING:
    from accel.facts.ghosts import Ghost
    from accel.model.device import Device, Gap
    from accel.model.holding import Holder, Holdings, RunningProcess

_HEADS: Final = ("device", "pid", "user", "memory", "state", "for", "belongs to", "command")
_RIGHT: Final = frozenset(("pid", "memory", "for"))
_BETWEEN: Final = "  "
_NARROW: Final = 100  # terminal columns; below this a holder takes two lines
_COLOURS: Final = {"blocked": "bold red", "zombie": "bold red", "ended": "bold red", "stopped": "yellow"}


def holders_page(
    holdings: "Holdings", devices: "Sequence[Device]", gaps: "Iterable[Gap]", now: datetime
) -> Iterator[Paragraph]:
    """Yield the output of `accel ps`: the holders, memory that they do not account for, and what is unknown."""
    accelerators = [device for device in devices if device.kind != "cpu"]
    if not holdings.holders:
        yield Paragraph("No process uses a device." if accelerators else "No accelerator was found.")
        if not accelerators:
            yield Paragraph("Find out why:  accel doctor", whole=True)
    else:
        yield from _table(holdings.holders, now)
    yield from _notes(holdings, accelerators)
    yield from gap_lines(gaps)


def ghosts_page(
    ghosts: "Sequence[Ghost]",
    devices: "Sequence[Device]",
    resets: Mapping[str, str],
    gaps: "Iterable[Gap]",
    now: datetime,
) -> Iterator[Paragraph]:
    """Yield the output of `accel ps --ghosts`. resets: the command that resets a device, by device id."""
    by_id = {device.id: device for device in devices}
    if not ghosts:
        yield Paragraph("No device holds memory without a visible owner.")
    for place, ghost in enumerate(ghosts):
        device = by_id[ghost.device]
        yield Paragraph((f"\n{device.id}" if place else device.id, "bold"), f"  {_head(ghost, device)}")
        yield Paragraph(f"{why(ghost)}.", label="why", indent=2, room=4)
        for holder in (holder for holder in ghost.holders if holder.process.start_ticks is not None):
            yield Paragraph(_line(holder.process, now), indent=8)
        for place_of_fix, fix in enumerate(remedies(ghost, resets.get(device.id))):
            yield Paragraph(fix.text, label="then" if place_of_fix else "free", indent=2, room=4)
            if fix.command:
                yield Paragraph((fix.command, "bold"), indent=8, whole=True)
    yield from gap_lines(gaps)


def belongs_to(process: "RunningProcess") -> str:
    """Return the owners of a process, nearest first: "slurm 9.0, pod ml/train-7"; "" if unknown."""
    told = []
    if process.role:
        told.append(process.role)
    if process.ray_task:
        told.append(f"ray {process.ray_task}")
    if process.job:
        step = f".{process.job_step}" if process.job_step else ""
        told.append(f"{process.scheduler} {process.job}{step}")
    if process.pod or process.pod_uid:
        name = process.pod or (process.pod_uid or "")[:8]
        told.append(f"pod {process.pod_namespace}/{name}" if process.pod_namespace else f"pod {name}")
    elif process.container_name or process.container:
        told.append(f"{process.engine or 'container'} {process.container_name or (process.container or '')[:12]}")
    if not told and process.unit and process.unit.endswith(".service"):
        told.append(process.unit)
    return ", ".join(told)


def since_text(started_at: str | None, now: datetime) -> str:
    """Return the elapsed time: "40 s", "12 min", "3 h", "5 d"; "?" if unknown.

    >>> since_text("2026-11-22T10:00:00Z", datetime(2026, 11, 22, 13, 30, tzinfo=timezone.utc))
    '3 h'
    """
    start = started(started_at)
    return "?" if start is None else age_text((now - start).total_seconds())


def started(started_at: str | None) -> datetime | None:
    """Parse "2026-11-22T10:00:00Z"; None if it is not a time."""
    try:
        return datetime.strptime(started_at or "", "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def _table(holders: "Sequence[Holder]", now: datetime) -> Iterator[Paragraph]:
    grouped = list(_grouped(holders))
    rows = [_cells(holder, devices, now) for holder, devices in grouped]
    shown = [place for place, head in enumerate(_HEADS) if head != "belongs to" or any(row[place] for row in rows)]
    width = page_width() if sys.stdout.isatty() else 0  # piped output is never cut
    narrow = 0 < width < _NARROW
    if narrow:
        shown = [place for place in shown if _HEADS[place] not in ("belongs to", "command")]
    widths = {n: max(columns_of(row[n]) for row in (_HEADS, *rows)) for n in shown}
    yield Paragraph((_cut(_joined(_HEADS, shown, widths), width), "bold"), whole=True)
    for (holder, _), row in zip(grouped, rows, strict=True):
        line = _cut(_joined(row, shown, widths), width)
        yield Paragraph((line, _COLOURS.get(holder.process.state or "", "")), whole=True)
        if narrow:
            more = "  ".join(text for text in row[-2:] if text)
            yield Paragraph(_cut(f"    {more}", width), whole=True)


def _grouped(holders: "Sequence[Holder]") -> "Iterator[tuple[Holder, str]]":
    """Yield each holder with its device; one that no device lists gets a single line for its open device nodes."""
    told: set[int] = set()
    for holder in holders:
        same = [h for h in holders if h.process.pid == holder.process.pid and h.backend == holder.backend]
        if len(same) == 1 or any(h.listed or h.memory_bytes is not None for h in same):
            yield holder, holder.device or holder.backend
        elif holder.process.pid not in told:
            told.add(holder.process.pid)
            names = [h.device or h.backend for h in same]
            numbers = [name.partition(":")[2] for name in names]
            whole = all(number.isdecimal() for number in numbers)
            places = sorted(int(number) for number in numbers) if whole else []
            if places and places[-1] - places[0] == len(places) - 1:
                yield holder, f"{holder.backend}:{places[0]}-{places[-1]}"
            else:
                yield holder, ",".join([names[0], *(numbers[1:] if whole else names[1:])])


def _cells(holder: "Holder", devices: str, now: datetime) -> tuple[str, ...]:
    process = holder.process
    return (
        devices,
        str(process.pid),
        process.user or "?",
        "?" if holder.memory_bytes is None else bytes_text(holder.memory_bytes),
        _state(process),
        since_text(process.started_at, now),
        belongs_to(process) or ("only watches" if holder.watches else ""),
        _command(process),
    )


def _state(process: "RunningProcess") -> str:
    if process.state in ("blocked", "zombie") and process.waits_in:
        return f"{process.state} in {process.waits_in_module or process.waits_in}"
    return process.state or "?"


def _command(process: "RunningProcess") -> str:
    if process.command:
        return " ".join(" ".join(word.split()) or "''" for word in process.command)
    return f"[{process.name}]" if process.command == () else process.name or "?"


def _joined(cells: Sequence[str], shown: Sequence[int], widths: Mapping[int, int]) -> str:
    padded = []
    for place in shown:
        blanks = " " * (widths[place] - columns_of(cells[place]))
        padded.append(blanks + cells[place] if _HEADS[place] in _RIGHT else cells[place] + blanks)
    return _BETWEEN.join(padded).rstrip()


def _cut(line: str, width: int) -> str:
    """Return the line truncated with "…" to fit; unchanged if width is 0."""
    if not width or columns_of(line) <= width:
        return line
    while columns_of(line) > width - 1:
        line = line[: max(1, len(line) - max(1, columns_of(line) - width))] if len(line) > 1 else ""
    return line + "…"


def _line(process: "RunningProcess", now: datetime) -> str:
    orphan = ", its parent is gone" if process.parent_pid == 1 else ""
    whose = belongs_to(process)
    facts = f"{process.state or '?'}, for {since_text(process.started_at, now)}{orphan}"
    return f"{process.pid}  {process.user or '?'}  {_command(process)}  ({facts}{f'; {whose}' if whose else ''})"


def _head(ghost: "Ghost", device: "Device") -> str:
    if not is_much(device, ghost.memory_bytes):
        return "is held by processes that have partly exited"
    of = of_text(ghost.memory_bytes, device.memory_total_bytes)
    return f"{of} are in use, and no living process is listed with them"


def _notes(holdings: "Holdings", devices: "Sequence[Device]") -> Iterator[Paragraph]:
    silent = [h for h in holdings.holders if h.listed is False and h.memory_bytes is None]
    unlisted = [h for h in silent if not h.watches and h.process.role is None]
    if unlisted:
        pids = ", ".join(dict.fromkeys(str(h.process.pid) for h in unlisted))
        yield Paragraph(f"\nNot listed by the driver, but with the device's node open: {pids}")
    for device in devices:
        names = {d.id for d in devices if device.id in (d.id, d.parent)}
        size = unaccounted_bytes(device, [h for h in holdings.holders if h.device in names])
        if device.is_top_level and device.processes is not None and is_much(device, size):
            of = of_text(size, device.memory_total_bytes)
            yield Paragraph(
                f"\n{device.id}: {of} are in use by nobody who is listed. See why:  accel ps --ghosts", whole=True
            )
