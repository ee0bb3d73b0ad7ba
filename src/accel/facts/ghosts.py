"""Device memory that is not held by any living process in the driver's list: why it is held, and by whom. Pure.

A driver lists which processes have memory on a device. If more is in use than these have together, the rest is held by

    a listed process that has ended     the driver has not freed its memory
    a zombie                            one of its threads still waits in the kernel, or its parent has not reaped it
    an unlisted process with a node open   the remains of a job: workers whose launcher is gone
    an invisible process                of another container or user, hidden by /proc, or not inspected
    no process                          the driver has lost count: a reset frees it
A process that waits in the kernel and never runs again cannot be ended at all.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.model.holding import Holder, Holdings

Reason = Literal["ended", "zombie", "stuck", "unlisted", "elsewhere", "closed", "unread", "nobody"]
_LEAST_BYTES: Final = 512 << 20  # contexts, and what drivers round, come to less
_LEAST_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Ghost:
    """Why memory of a device is held by no visible process.

    memory_bytes  what is in use beyond what the listed living processes have; None if that cannot be computed
    holders       the processes that the reason is about; () if they cannot be seen
    """

    device: str
    reason: Reason
    memory_bytes: int | None = None
    holders: "tuple[Holder, ...]" = ()


def ghosts(devices: "Sequence[Device]", holdings: "Holdings") -> tuple[Ghost, ...]:
    """Return the reasons by device, the most certain first; () if its living processes account for its memory."""
    return tuple(
        ghost
        for device in devices
        if device.kind != "cpu" and device.is_top_level
        for ghost in _of(device, devices, holdings)
    )


def unaccounted_bytes(device: "Device", held: "Sequence[Holder]") -> int | None:
    """Return the memory in use beyond what the listed living processes have; None if it cannot be computed."""
    sizes = [holder.memory_bytes for holder in held if holder.listed and holder.process.state != "ended"]
    if device.unified_memory:
        return None  # what is used is the system's: most of it no process holds for this device
    if device.memory_used_bytes is None or any(size is None for size in sizes):
        return None
    return max(0, device.memory_used_bytes - sum(size for size in sizes if size is not None))


def is_much(device: "Device", size: int | None) -> bool:
    """Return whether a size is more than contexts and rounding amount to."""
    share = 0 if device.memory_total_bytes is None else int(device.memory_total_bytes * _LEAST_SHARE)
    return size is not None and size >= max(_LEAST_BYTES, share)


def _of(device: "Device", devices: "Sequence[Device]", holdings: "Holdings") -> "Iterator[Ghost]":
    names = {d.id for d in devices if device.id in (d.id, d.parent)}
    held = [holder for holder in holdings.holders if holder.device in names]
    size = unaccounted_bytes(device, held)
    much = is_much(device, size)
    remains = {
        "stuck": [h for h in held if h.process.stuck],
        "zombie": [h for h in held if h.process.state == "zombie" and not h.process.stuck],
        "ended": [h for h in held if h.process.state == "ended" and h.memory_bytes != 0],
        "unlisted": [h for h in held if h.listed is False and _may_hold(h)] if much else [],
    }
    if much and not any(remains.values()):  # of a node of the vendor's it is not known on which device
        unplaced = (h for h in holdings.holders if h.device is None and h.backend == device.backend)
        remains["unlisted"] = [h for h in unplaced if _may_hold(h)]
    reasons: tuple[Reason, ...] = ("stuck", "zombie", "ended", "unlisted")
    for reason in reasons:
        if remains[reason]:
            yield Ghost(device=device.id, reason=reason, memory_bytes=size, holders=tuple(remains[reason]))
    if not much or any(remains.values()) or device.processes is None:
        return
    told: list[tuple[object, Reason]] = [
        (holdings.own_namespace is not False, "elsewhere"),
        (holdings.closed, "closed"),
        (holdings.unread, "unread"),
        (True, "nobody"),
    ]
    yield Ghost(device=device.id, reason=next(reason for which, reason in told if which), memory_bytes=size)


def _may_hold(holder: "Holder") -> bool:
    """Return whether an unlisted process may hold the memory: monitors hold none, zombies have their own reason."""
    whole = holder.process.state not in ("zombie", "ended")
    return whole and not holder.watches and holder.process.role is None and holder.memory_bytes is None
