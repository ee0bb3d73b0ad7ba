"""The functions that libraries call. None of them creates a context, claims a device or imports a framework.

They probe in the calling process, and fork only if asked to (`isolate=True` or `timeout_seconds=`), so that a training
script stays a single process. Vendor handles are kept open between calls.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, overload

from accel.collect.deadline import Configured, check_deadline, check_in_time, way_of_probing
from accel.collect.live import reports as gathered_reports
from accel.machine.live import LiveMachine
from accel.model.device import Device, Health, Memory, Process, memory_of
from accel.model.errors import BadInput, NoSuchDevice
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry

if TYPE_CHECKING:
    import torch

    from accel.machine.protocol import Machine
    from accel.model.diagnosis import Diagnosis
    from accel.model.holding import Holdings
    from accel.model.report import Report
    from accel.model.snapshot import Snapshot
    from accel.specs import Chip, Specs
    from accel.specs.export_rules.restrictions import Restrictions
    from accel.vendors.contract.backend import Depth

_MOST_BYTES = 24_000_000  # of one file: of a longer one both ends are read
_PATIENCE_SECONDS = 10.0  # for a pipe or device


class Doors:
    """The state behind the API: the machine, the plugins, and how they are probed (`configure`)."""

    __slots__ = ("configured", "machine", "registry", "specs")

    def __init__(self, machine: "Machine", registry: Registry) -> None:
        self.machine: Machine = machine
        self.registry: Registry = registry
        self.configured: Configured = (False, None)
        self.specs: Specs | None = None


instead: list[Doors] = []  # machines simulated by accel.testing; the last one replaces this machine


@cache
def _here() -> Doors:
    return Doors(LiveMachine(), Registry(os.environ, sys.path))


def _doors() -> Doors:
    for simulated in instead[-1:]:
        return simulated
    return _here()


def _machine() -> "Machine":
    return _doors().machine


def _registry() -> Registry:
    return _doors().registry


def _specs() -> "Specs":
    """Return the spec records, with those of plugins and the user. Warns about files of theirs that cannot be used."""
    doors = _doors()
    if doors.specs is None:
        from accel.specs.overlay import warn_of_problems

        doors.specs = doors.registry.specs
        warn_of_problems(doors.specs.problems, doors.specs.contradictions)
    return doors.specs


def configure(*, isolate: bool | None = None, timeout_seconds: float | None = None) -> None:
    """Set how this process probes from now on, for calls that do not say so themselves.

    isolate          True: probe in child processes, so that a hang or crash in a vendor library costs only its backend
    timeout_seconds  deadline for all probes of one call, greater than 0. Implies isolate, whose deadline is otherwise
                     20 s. Raises BadInput for any other number, and for a deadline with isolate=False

    Without arguments both are reset: probes run in this process without a deadline, so if a vendor's library hangs, so
    does the caller.
    """
    check_deadline(isolate, timeout_seconds)
    _doors().configured = bool(isolate) or timeout_seconds is not None, timeout_seconds


def devices(*, isolate: bool | None = None, timeout_seconds: float | None = None) -> tuple[Device, ...]:
    """Return the devices of all vendors: partitions after their parents, the CPU last.

    isolate, timeout_seconds  as in `configure`; None: as configured

    A value that could not be read is None; `accel.snapshot()` has the reason. Raises DeadlineMissed, with the devices
    found so far, if a backend did not list all of its devices in time: no answer does not mean no device.
    """
    return _devices(*_way(isolate, timeout_seconds))


def accelerators(*, isolate: bool | None = None, timeout_seconds: float | None = None) -> tuple[Device, ...]:
    """Return `devices()` without the CPU."""
    return tuple(d for d in devices(isolate=isolate, timeout_seconds=timeout_seconds) if d.kind != "cpu")


def device(which: "str | int | torch.device") -> Device:
    """Return one device.

    which  an id ("nvidia:0"), a UUID or its beginning ("GPU-8f2c"), a PCI address in any form, the name a runtime uses
           with the current masks ("cuda:1"), a torch.device, or an index into `accelerators()` (0)

    Raises NoSuchDevice if there is none, and TypeError for any other type.
    """
    if isinstance(which, int) and not isinstance(which, bool):
        found = accelerators()
        if 0 <= which < len(found):
            return found[which]
        raise NoSuchDevice(f"No accelerator {which} on this machine: it has {len(found)}. Try  accel devices")
    from accel.facts.device_names import device_named

    return device_named(devices(), _name_of(which))


def _name_of(which: object) -> str:
    if isinstance(which, str):
        return which
    kind, index = getattr(which, "type", None), getattr(which, "index", None)
    if isinstance(kind, str) and (
        index is None or isinstance(index, int)
    ):  # a torch.device; without a number the first
        return f"{kind}:{index or 0}"
    raise TypeError(
        f"device({which!r:.60}): expected an id, a uuid, a PCI address, a name such as 'cuda:1', a torch.device or a "
        "number; for a jax.Device use accel.device_of"
    )


def memory(device_id: str) -> Memory:
    """Return one device's memory, read now. Unknown fields are None. Raises NoSuchDevice.

    For a device without memory of its own, whose driver does not count any, this is the system's memory.
    """
    backend = _registry().backend(device_id.partition(":")[0])
    found = backend.memory(_machine(), device_id) if backend is not None else None
    if found is not None and None not in (found.total_bytes, found.free_bytes):
        return found
    known = device(device_id)
    return found if found and not known.unified_memory else memory_of(known)


def sample(known: Sequence[Device]) -> tuple[Device, ...]:
    """Return the same devices with fresh readings (memory, utilisation, temperature, power, processes).

    This is the cheap way to monitor devices: their identity is not read again.
    """
    fresh: dict[str, Device] = {}
    for name in dict.fromkeys(d.backend for d in known):
        backend = _registry().backend(name)
        if backend is not None:
            fresh.update((d.id, d) for d in backend.sample(_machine(), [d for d in known if d.backend == name]))
    now = tuple(fresh.get(d.id, d) for d in known)
    if any(d.unified_memory for d in now) and (processor := _registry().backend("cpu")) is not None:
        from accel.collect.system_memory import given_system_memory

        system = processor.memory(_machine(), "cpu:0")
        now = tuple(given_system_memory(d, system) for d in now)
    return now


def processes() -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes on each device, by device id: None if they cannot be listed, () if there are none."""
    return {d.id: d.processes for d in accelerators()}


def holdings(*names: str) -> "Holdings":
    """Return which processes use these devices, or all devices: including those that the driver does not list but that
    have a device node open.

    names  as `device` takes them

    `Holdings.gaps` says which processes could not be seen, and why. Raises NoSuchDevice.
    """
    from accel.facts.device_names import device_named
    from accel.model.dataclass import replace
    from accel.watch.holders.gather import Holders

    found = devices()
    held = Holders(_machine(), _registry().backends_on(_machine())).of(found)
    wanted = {device_named(found, name).id for name in names}
    wanted |= {one.id for one in found if one.parent in wanted}
    return replace(held, holders=tuple(h for h in held.holders if h.device in wanted)) if names else held


@overload
def health() -> Mapping[str, Health]: ...
@overload
def health(device_id: str) -> Health: ...
def health(device_id: str | None = None) -> "Mapping[str, Health] | Health":
    """Return the health of each accelerator by id, or of one, from everything its backend can read. "unknown" is not
    "ok".

    Raises NoSuchDevice if no accelerator has this id.
    """
    states = {d.id: d.health for d in _devices(*_way(None, None), depth="health") if d.kind != "cpu"}
    if device_id is None:
        return states
    if device_id not in states:
        raise NoSuchDevice(f"No accelerator {device_id!r} on this machine. Here are: {', '.join(states) or 'none'}.")
    return states[device_id]


def snapshot(
    *, python: str | None = None, isolate: bool | None = None, timeout_seconds: float | None = None
) -> "Snapshot":
    """Return everything that is known about this machine.

    python                    another interpreter, whose packages are inspected instead
    isolate, timeout_seconds  as in `configure`; None: as configured. What is not read in time is a gap
    """
    from accel.watch.holders.snapshot import snapshot as gathered

    apart, within = _way(isolate, timeout_seconds)
    return gathered(_machine(), _registry(), isolate=apart, python=python, timeout_seconds=within)


def read(path: "str | os.PathLike[str]") -> "Snapshot":
    """Read a file: a report, tool output, a saved snapshot or benchmark.

    A str with several lines is taken as the text itself, as in `read_text`. Raises BadInput if the file cannot be used.
    """
    if isinstance(path, str) and "\n" in path:
        return read_text(path)
    from accel.collect.text import decode_bytes
    from accel.machine.outside import read_ends

    name = os.fspath(path)
    try:
        data, _ = read_ends(name, _MOST_BYTES, _PATIENCE_SECONDS)
        return read_text(decode_bytes(name, data), name)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}. Give a file, or a text to accel.read_text().") from None


def read_text(text: str, name: str = "text") -> "Snapshot":
    """Read a text: a pasted report, tool output, a saved snapshot or benchmark.

    Raises BadInput for a damaged snapshot or benchmark.
    """
    from accel.collect.live import device_types
    from accel.collect.text import read_texts
    from accel.model.codec import is_bench

    if is_bench(text):
        from accel.measure.bench.facts import snapshot_of
        from accel.measure.bench.saved import decoded

        return snapshot_of(decoded(text, name), name, device_types(_registry()))
    return read_texts([(name, text)], _registry())


def doctor(of: "Snapshot | None" = None) -> "Diagnosis":
    """Diagnose this machine, or the one that a snapshot describes: what is wrong, the lowest broken layer first.

    This machine is probed as set by `configure`.
    """
    from accel.collect.live import judged

    return judged(of or snapshot(), _registry())


def restrictions(chip: "str | Chip", *, date: str | None = None, to: str | None = None) -> "Restrictions":
    """Return which U.S. export rules apply to a chip, with the arithmetic, and its technical limits. Not legal advice.

    chip  a product name ("4090", "H100 SXM5") or a record of the spec database
    date  apply the rules in force on this day, "2023-11-17"; None: today
    to    destination country, by name or code; None: China

    An unknown figure leaves the verdict undecided. If a name matches several chips that get the same verdict ("H100"),
    the answer is for the first one, and `same_for` lists the others. Raises BadInput if their verdicts differ, with
    each of them, and if the name matches no chip.
    """
    from datetime import date as days

    from accel.model.dataclass import replace
    from accel.specs.export_rules.restrictions import restrictions_of, verdicts

    specs = _specs()
    chips = specs.named(chip).chips if isinstance(chip, str) else (chip,)
    if not chips:
        names = "; ".join(specs.near(str(chip))) or "none"
        raise BadInput(f"No chip is called {chip!r}. Similar: {names}. Try  accel specs list")
    found = [restrictions_of(specs, one, date or days.today().isoformat(), to) for one in chips]
    if len({one.export.licence for one in found}) > 1:
        raise BadInput(f"{verdicts(str(chip), found)} Name one of them.")
    return replace(found[0], same_for=tuple(one.chip for one in found[1:]))


def _way(isolate: bool | None, timeout_seconds: float | None) -> tuple[bool, float]:
    return way_of_probing(isolate, timeout_seconds, _doors().configured)


def _devices(isolate: bool, timeout_seconds: float, depth: "Depth" = "devices") -> tuple[Device, ...]:
    return merged_devices(_reports(isolate, timeout_seconds, depth))[0]


def _reports(isolate: bool, timeout_seconds: float, depth: "Depth" = "devices") -> "tuple[Report, ...]":
    """Return the backends' reports. Raises DeadlineMissed."""
    found = gathered_reports(_machine(), _registry(), depth=depth, isolate=isolate, timeout_seconds=timeout_seconds)
    check_in_time(found)
    return found
