"""Causes on the way of the data: reading and preparing it, handing it over, and writing."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.watch.advise.look import Cause, Confidence, Look, advice_table, cause, mean, percent, total

_FULL: Final = 0.95
_SMALL_BYTES: Final = 64 << 20  # a container's default
_MEBIBYTE: Final = 2.0**20


def shared_memory_full(look: Look) -> Iterator[Cause]:
    """The shared memory through which data loader processes pass their batches is small or full."""
    known = [
        (s.shm_total_bytes, s.shm_free_bytes) for s in look.steps if s.shm_total_bytes and s.shm_free_bytes is not None
    ]
    if not known:
        return
    total = known[-1][0] or 0
    most = max(1 - (free or 0) / (size or 1) for size, free in known)
    children = max((len(step.processes) - 1 for step in look.steps if step.processes), default=0)
    if most < _FULL and not (total <= _SMALL_BYTES and children and most > 0.5):
        return
    sure: Confidence = "high" if most >= _FULL else "medium"
    yield cause(
        "shared-memory-full",
        sure,
        None,
        (
            f"/dev/shm, of {total / _MEBIBYTE:,.0f} MiB, was {percent(most)} full",
            f"{children} child processes were there",
        ),
    )


_WRITING_SHARE: Final = 0.05
_LEAST_WRITTEN: Final = 10e6  # bytes a second
_TIMES_READ: Final = 3.0  # more than while it works, or reads


def stops_to_write(look: Look) -> Iterator[Cause]:
    """The devices pause while the program writes a checkpoint or logs."""
    share = look.idle_share
    if share is None or share < _WRITING_SHARE or not look.working or not look.pauses:
        return
    written = mean(total(p.written_bytes_per_second for p in s.processes) for s in look.idle if s.processes)
    read = mean(total(p.read_bytes_per_second for p in s.processes) for s in look.idle if s.processes)
    working = mean(total(p.written_bytes_per_second for p in s.processes) for s in look.working if s.processes)
    if written is None or written < _LEAST_WRITTEN or (read is not None and written < _TIMES_READ * read):
        return
    if working is not None and written < _TIMES_READ * working:
        return
    rest = f", {working / _MEBIBYTE:.1f} while they worked" if working is not None else ""
    sure: Confidence = "high" if working is not None else "medium"
    yield cause(
        "stops-to-write",
        sure,
        share,
        (
            f"{written / _MEBIBYTE:.0f} MiB a second were written while the devices rested{rest}",
            f"{len(look.pauses)} pauses, the longest of {max(look.pauses):.1f} s",
        ),
    )


_PAUSING_SHARE: Final = 0.1  # of the time, that the pauses take
_LEAST_PAUSES: Final = 2
_AT_LIMIT: Final = 0.8  # of the pauses, in which a process computes
_STALLED: Final = 0.3  # of the pauses, in which something waited for storage
_LEAST_BYTES: Final = 1e6  # a second
_BLOCKED: Final = 0.5  # threads, on average over the pauses; and twice as many as while the devices work


def waits_for_input(look: Look) -> Iterator[Cause]:
    """The devices pause repeatedly while the program prepares or reads its data."""
    share = look.idle_share
    if share is None or share < _PAUSING_SHARE or len(look.pauses) < _LEAST_PAUSES or not look.working:
        return
    seen = (
        f"the devices were busy under 20 % in {percent(share)} of the time: {len(look.pauses)} pauses of "
        f"{sum(look.pauses) / len(look.pauses):.1f} s on average"
    )
    first, others = look.first_at_work(look.idle), look.others_at_work(look.idle)
    full = [share for share in others if share >= _AT_LIMIT]
    blocked = mean(total(p.blocked for p in step.processes) for step in look.idle if step.processes)
    stalled = mean(step.stalled_io for step in look.idle)
    read = mean(total(p.read_bytes_per_second for p in step.processes) for step in look.idle if step.processes)
    elsewhere = mean(total(p.blocked for p in step.processes) for step in look.working if step.processes)
    is_blocked = blocked is not None and blocked >= max(_BLOCKED, 2 * (elsewhere or 0.0))
    waits = is_blocked or (stalled is not None and stalled >= _STALLED)
    if waits and (read is None or read >= _LEAST_BYTES):
        yield _storage(look, share, seen, blocked, stalled, read)
    elif full and (first is None or first < _AT_LIMIT):
        yield _loaders(look, share, seen, others, full)
    elif first is not None and first >= _AT_LIMIT and not others:
        yield _alone(look, share, seen, first)


def _storage(
    look: Look, share: float, seen: str, blocked: float | None, stalled: float | None, read: float | None
) -> Cause:
    files = look.program.files if look.program is not None else None
    networked = advice_table()["networked"]
    far = next((file for file in files or () if (file.system or "").partition(".")[0] in networked), None)
    told = [seen]
    if stalled is not None:
        told.append(f"something waited for storage in {percent(stalled)} of the pauses")
    if blocked is not None and blocked >= _BLOCKED:
        told.append(f"{blocked:.1f} of its threads were blocked in the kernel meanwhile, on average")
    if read is not None:
        told.append(f"it read {read / _MEBIBYTE:.1f} MiB a second from storage in the pauses")
    if far is not None:
        told.append(f"{far.path} is open on {far.system}, a file system of the network")
    surer: Confidence = "high" if stalled is not None and stalled >= _STALLED and read is not None else "medium"
    return cause("input-on-storage" if far is None else "input-on-network-storage", surer, share, told)


def _loaders(look: Look, share: float, seen: str, awake: list[float], full: list[float]) -> Cause:
    cpus = look.program.cpus if look.program is not None else None
    room = cpus is None or len(awake) < cpus - 1
    many = len(awake) > 1
    who = f"{len(full)} of its {len(awake)} child processes at work" if many else "its one child process at work"
    told = [seen, f"in the pauses {who} computed in {percent(sum(full) / len(full))} of the time, and the first waited"]
    if cpus is not None:
        told.append(f"it may use {cpus:g} processors")
    could = "" if cpus is None else f" on {cpus:g} processors"
    workers = max(len(awake) + 1, int(cpus) if cpus is not None else 2 * len(awake))
    found = cause(
        "input-on-processor", "high", share, told, at_work=f"{len(awake)} are at work{could}", workers=str(workers)
    )
    return found if room else replace(found, changes=found.changes[::-1])


def _alone(look: Look, share: float, seen: str, first: float) -> Cause:
    workers = min(8, int(look.program.cpus)) if look.program is not None and look.program.cpus else 4
    told = (seen, f"its first process computed in {percent(first)} of the pauses, and no child process did")
    return cause("input-in-first-process", "high", share, told, workers=str(workers))
