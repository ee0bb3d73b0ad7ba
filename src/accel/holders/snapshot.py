"""A snapshot of this machine with those who hold its devices."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.collect import live
from accel.model.merge import merged_devices

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_SERVICES_SECONDS: Final = 0.1  # for the names of all processes
_LOOK_SECONDS: Final = 0.2  # for the open files of all processes: a thousand of them take a fifth of it


def snapshot(machine: "Machine", registry: "Registry", *, pid: int | None = None, **asked: Any) -> "Snapshot":
    """Return what accel.collect.live.snapshot does, with `holdings` where a device is here.

    pid  of a process: the machine as that has it. Raises BadInput if there is none
    """
    if pid is None:
        return with_holdings(live.snapshot(machine, registry, **asked), machine, registry)
    from accel.holders.asked import as_process, known

    process = known(machine, pid)
    found = live.snapshot(machine, registry, pid=pid, **asked)
    return with_holdings(as_process(found, machine, registry, process), machine, registry)


def with_holdings(found: "Snapshot", machine: "Machine", registry: "Registry") -> "Snapshot":
    """Return the snapshot with who holds the devices now, which services run, and what a container was given."""
    devices = merged_devices(found.reports)[0]
    here = any(device.kind != "cpu" for device in devices)
    if not here and not found.host.containerized:
        return found
    from accel.holders.gather import Holders
    from accel.holders.given import given

    backends = registry.backends_on(machine)
    holders = Holders(machine, backends)
    noted = [*given(machine, found.host, holders.nodes)]
    if not here:
        return replace(found, observations=(*found.observations, *noted))
    from accel.holders.noted import observed
    from accel.holders.services import services

    held = holders.of(devices, _LOOK_SECONDS, twice=True)
    noted += (*observed(devices, held), *services(machine, backends, _SERVICES_SECONDS))
    return replace(found, holdings=held, observations=(*found.observations, *noted))
