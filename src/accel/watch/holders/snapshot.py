"""A snapshot of this machine that includes the processes that use its devices."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.collect import live
from accel.facts.ghost_words import why
from accel.facts.ghosts import ghosts
from accel.machine.live import LiveMachine
from accel.model.dataclass import replace
from accel.model.merge import merged_devices
from accel.vendors.toolkit.notes import noted
from accel.watch.holders.unseen import SOURCE

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.holding import Holder, Holdings
    from accel.model.observation import Noted
    from accel.model.report import Report
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry


_SERVICES_SECONDS: Final = 0.1  # for the names of all processes
_LOOK_SECONDS: Final = 0.2  # for the open files of all processes: a thousand of them take a fifth of it
_APART_SECONDS: Final = 1.0  # in which a driver frees the memory of a process that has ended
_READINGS: Final = (
    *("memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes"),
    *("processes", "utilization_percent"),
)
_KEEPS: Final = ("ended", "unlisted", "nobody", "zombie")  # reasons that only this machine can establish


def snapshot(machine: "Machine", registry: "Registry", *, pid: int | None = None, **asked: Any) -> "Snapshot":
    """Like accel.collect.live.snapshot, with `holdings` if there is a device.

    pid  the process whose view of the machine is wanted. Raises BadInput if there is none
    """

    def look_again() -> "Sequence[Report]":
        if isinstance(machine, LiveMachine):
            time.sleep(_APART_SECONDS)
        how = {"isolate": True, "timeout_seconds": 20.0, **asked}
        return live.reports(
            machine, registry, depth="devices", isolate=how["isolate"], timeout_seconds=how["timeout_seconds"]
        )

    if pid is None:
        return with_holdings(live.snapshot(machine, registry, **asked), machine, registry, look_again)
    from accel.watch.holders.asked import as_process, known

    process = known(machine, pid)
    found = live.snapshot(machine, registry, pid=pid, **asked)
    return with_holdings(as_process(found, machine, registry, process), machine, registry, look_again)


def with_holdings(
    found: "Snapshot",
    machine: "Machine",
    registry: "Registry",
    look_again: "Callable[[], Sequence[Report]] | None" = None,
) -> "Snapshot":
    """Return the snapshot with the processes that use the devices, the running services, and what a container was
    given.

    look_again  called for fresh readings if memory has no owner: a job may have ended between two readings
    """
    devices = merged_devices(found.reports)[0]
    here = any(device.kind != "cpu" for device in devices)
    if not here and not found.host.containerized:
        return found
    from accel.watch.holders.gather import Holders
    from accel.watch.holders.given import given

    backends = registry.backends_on(machine)
    holders = Holders(machine, backends)
    noted = [*given(machine, found.host, holders.nodes)]
    if not here:
        return replace(found, observations=(*found.observations, *noted))
    from accel.watch.holders.services import services

    held = holders.of(devices, _LOOK_SECONDS, twice=True)
    told = tuple(_observed(devices, held))
    suspects = {one.device for one in told if one.fact == "memory-without-owner"}
    if suspects and look_again is not None:
        found = _with_readings(found, merged_devices(look_again())[0])
        devices = merged_devices(found.reports)[0]
        held = holders.of(devices, _LOOK_SECONDS, twice=True)
        again = _observed(devices, held)
        told = tuple(one for one in again if one.fact != "memory-without-owner" or one.device in suspects)
    noted += (*told, *services(machine, backends, _SERVICES_SECONDS))
    return replace(found, holdings=held, observations=(*found.observations, *noted))


def _with_readings(found: "Snapshot", devices: "Sequence[Device]") -> "Snapshot":
    """Return the snapshot with the readings of these devices, as far as they are known."""
    by_id = {device.id: device for device in devices}

    def fresh(device: "Device") -> "Device":
        read = {name: getattr(by_id.get(device.id), name, None) for name in _READINGS}
        return replace(device, **{name: value for name, value in read.items() if value is not None})

    reports = tuple(replace(one, devices=tuple(map(fresh, one.devices))) for one in found.reports)
    return replace(found, reports=reports)


def _observed(devices: "Sequence[Device]", holdings: "Holdings") -> "Iterator[Noted]":
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
