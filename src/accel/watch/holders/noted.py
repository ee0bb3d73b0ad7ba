"""Facts for the checks from the processes on devices: processes that are stuck, and memory without an owner. Pure."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.ghost_words import why
from accel.facts.ghosts import ghosts
from accel.vendors.toolkit.notes import noted
from accel.watch.holders.unseen import SOURCE

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.model.holding import Holder, Holdings
    from accel.model.observation import Noted

_KEEPS: Final = ("ended", "unlisted", "nobody", "zombie")  # reasons that only this machine can establish


def observed(devices: "Sequence[Device]", holdings: "Holdings") -> "Iterator[Noted]":
    """Yield the facts holder-stuck, holder-zombie and memory-without-owner."""
    told: set[int] = set()
    for holder in holdings.holders:
        process = holder.process
        if process.pid in told or not (process.stuck or process.state == "zombie"):
            continue
        told.add(process.pid)
        yield _of_process(holder)
    for ghost in ghosts(devices, holdings):
        if ghost.reason in _KEEPS and ghost.memory_bytes is not None:
            pids = " ".join(str(holder.process.pid) for holder in ghost.holders[:16])
            yield noted(
                "memory-without-owner",
                f"{ghost.memory_bytes:,} bytes of {ghost.device} are in use without a listed process: {why(ghost)}",
                SOURCE,
                of=ghost.device,
                bytes=str(ghost.memory_bytes),
                reason=ghost.reason,
                pids=pids,
            )


def _of_process(holder: "Holder") -> "Noted":
    process = holder.process
    who = f"{process.name or 'a process'} ({process.pid})"
    where = f" in {process.waits_in}" if process.waits_in else ""
    where += f" of {process.waits_in_module}" if process.waits_in_module else ""
    does = "waits in the kernel and did not run for a second" if process.stuck else "has ended and is still there"
    return noted(
        "holder-stuck" if process.stuck else "holder-zombie",
        f"{who} {does}{where}",
        SOURCE,
        of=holder.device,
        task=process.name,
        pid=str(process.pid),
        parent=None if process.parent_pid is None else str(process.parent_pid),
        function=process.waits_in,
        module=process.waits_in_module,
        backend=holder.backend,
    )
