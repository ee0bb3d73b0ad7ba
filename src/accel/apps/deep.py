"""Adds the results of running the frameworks of its environment to a snapshot: `accel doctor --deep`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.live import LiveMachine
from accel.measure.deep.facts import with_facts
from accel.measure.deep.running import Report, run
from accel.model.dataclass import replace
from accel.model.device import Gap

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

DEADLINE_SECONDS: Final = 300.0
_ALSO_CALLED: Final = {"cuda": "gpu", "rocm": "gpu"}  # by JAX and TensorFlow


def with_frameworks_tried(
    snapshot: "Snapshot",
    machine: "Machine",
    registry: "Registry",
    report: Report,
    deadline_seconds: float | None = None,
) -> "Snapshot":
    """Return the snapshot with the results of each framework of its environment, run in child processes.

    report            called when a step starts, progresses and ends
    deadline_seconds  for all of them together; None: DEADLINE_SECONDS
    """
    python = snapshot.environments[0].python_executable if snapshot.environments else None
    reason = "no Python is known that would have a framework. Name one:  accel doctor --deep --python FOLDER"
    if not isinstance(machine, LiveMachine):
        python, reason = None, "a recorded machine runs no programs"
    if python is None:
        return replace(snapshot, gaps=(*snapshot.gaps, Gap(fact="frameworks", reason=reason, source="accel deep")))
    names = dict(_names(snapshot.devices))
    told = run(
        python,
        machine.environment,
        within_seconds=deadline_seconds or DEADLINE_SECONDS,
        expects=sorted({name.partition(":")[0] for name in names} - {"cpu"}),
        formats={name: dtypes for name, one in names.items() if (dtypes := _formats(one))},
        report=report,
    )
    return with_facts(snapshot, told, registry, {name: one.id for name, one in names.items()})


def _names(devices: "tuple[Device, ...]") -> "Iterator[tuple[str, Device]]":
    """Yield each device visible to programs with each name that frameworks use for it."""
    for device in devices:
        if device.visible is False:
            continue
        if device.kind == "cpu":
            yield "cpu", device
            continue
        for name in device.runtime_names or ():
            kind, colon, number = name.partition(":")
            yield name, device
            if kind in _ALSO_CALLED:
                yield f"{_ALSO_CALLED[kind]}{colon}{number}", device


def _formats(device: "Device") -> tuple[str, ...]:
    """Return the formats in which the device's chip computes; () if unknown."""
    from accel.apps.sdk.chip_spec import spec

    if device.kind == "cpu":
        return ()
    known = spec(device)
    return known.dtypes if known is not None else ()
