"""A snapshot of this machine with those who hold its devices."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.collect import live
from accel.model.merge import merged_devices

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_LOOK_SECONDS: Final = 0.2  # for the open files of all processes: a thousand of them take a fifth of it


def snapshot(machine: "Machine", registry: "Registry", **asked: Any) -> "Snapshot":
    """Return what accel.collect.live.snapshot does, with `holdings` where a device or a node of one is here."""
    return with_holdings(live.snapshot(machine, registry, **asked), machine, registry)


def with_holdings(found: "Snapshot", machine: "Machine", registry: "Registry") -> "Snapshot":
    """Return the snapshot with who holds the devices now."""
    devices = merged_devices(found.reports)[0]
    if all(device.kind == "cpu" for device in devices):
        return found
    from accel.holders.gather import Holders
    from accel.holders.noted import observed

    held = Holders(machine, registry.backends_on(machine)).of(devices, _LOOK_SECONDS, twice=True)
    return replace(found, holdings=held, observations=(*found.observations, *observed(devices, held)))
