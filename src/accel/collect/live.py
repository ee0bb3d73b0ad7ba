"""Collects the facts of this machine into one Snapshot.

The backends of present hardware are probed in parallel, each in a child process with a deadline; whatever hangs or
crashes costs one Gap. Third-party plugins also detect their hardware there. If forking is impossible or not wanted,
everything runs in this process, one after another.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the records are loaded while the children, forked before, load them too
    from accel.collect.isolate import Probes
    from accel.collect.wiring import WiringSource
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Gap
    from accel.model.diagnosis import Diagnosis
    from accel.model.report import Report
    from accel.model.snapshot import Snapshot
    from accel.model.wiring import Wiring
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Backend, Depth, Probed


class Gathering:
    """Probes in progress in child processes (or to be run here, in `reports`), while the caller does something else.

    wiring  how the machine is wired, once `reports` has returned; None if not requested or unreadable
    links_only  as in Request
    brief       as in WiringSource
    """

    def __init__(
        self,
        machine: "Machine",
        registry: "Registry",
        *,
        depth: "Depth",
        isolate: bool,
        timeout_seconds: float,
        wiring: bool = False,
        links_only: bool = False,
        brief: bool = False,
    ) -> None:
        self._machine, self._registry, self._depth = machine, registry, depth
        self._links_only = links_only
        isolate = isolate and hasattr(os, "fork")
        backends = registry.backends_on(machine)
        guests = registry.guests if isolate else frozenset()
        self._present, self._broken = _present(machine, backends, guests)
        self._probes: Probes | None = None
        self._masked = guests  # by themselves, in their children
        self._wires = _wiring_source(machine, registry, brief) if wiring else None
        self.wiring: Wiring | None = None
        if isolate:
            from accel.collect import isolate as children

            workers = [
                children.Worker(b, machine, depth, timeout_seconds, b.name in guests, links_only=links_only)
                for b in self._present
            ]
            if self._wires is not None:
                workers.append(children.Worker(self._wires, machine, depth, min(timeout_seconds, self._wires.seconds)))
            self._probes = children.Probes(workers)

    def reports(self) -> "tuple[Report, ...]":
        """Wait; return the reports of the present backends, with the masks of `machine.environment` applied."""
        if self._probes is not None:
            found = self._probes.wait()
            self._probes.reap()
        else:
            strange = self._registry.guests
            found = tuple(
                report
                for source in (*self._present, *((self._wires,) if self._wires is not None else ()))
                for report in _probe_here(source, self._machine, self._depth, source.name in strange, self._links_only)
            )
        if self._wires is not None:
            self.wiring, found = self._wires.taken_from(found)
        from accel.collect.chip_facts import with_chip_facts
        from accel.collect.system_memory import with_system_memory

        found = with_system_memory(with_chip_facts(found, lambda: self._registry.specs))
        shown = apply_masks(found, self._registry, self._machine.environment, self._masked)
        return shown + tuple(_failed(name, "detect", error) for name, error in self._broken)


def reports(
    machine: "Machine", registry: "Registry", *, depth: "Depth", isolate: bool, timeout_seconds: float
) -> "tuple[Report, ...]":
    """Return the reports of the present backends, with the visibility masks of `machine.environment` applied."""
    return Gathering(machine, registry, depth=depth, isolate=isolate, timeout_seconds=timeout_seconds).reports()


def snapshot(
    machine: "Machine",
    registry: "Registry",
    *,
    depth: "Depth" = "health",
    isolate: bool = True,
    timeout_seconds: float = 20.0,
    python: str | None = None,
    pid: int | None = None,
) -> "Snapshot":
    """Return everything known about this machine.

    python  another interpreter, whose packages are inspected instead
    pid     the process whose limits apply; None: this one
    """
    import time

    began = time.monotonic()
    gathering = Gathering(
        machine, registry, depth=depth, isolate=isolate, timeout_seconds=timeout_seconds, wiring=depth != "devices"
    )

    from accel.collect.environment import looked_at
    from accel.collect.host import host_facts
    from accel.collect.kernel_log import kernel_log
    from accel.collect.limits import limits
    from accel.collect.places import places
    from accel.collect.pressure import pressure
    from accel.collect.services import services
    from accel.collect.settings import settings
    from accel.collect.surroundings import surroundings
    from accel.collect.upkeep import upkeep
    from accel.machine.live import LiveMachine
    from accel.model.dataclass import replace
    from accel.model.snapshot import Snapshot
    from accel.vendors.toolkit.notes import noted

    host = host_facts(machine)
    environment, seen = looked_at(machine, python, architecture=host.machine)
    used = (*limits(machine, pid), *pressure(machine, pid))
    used += settings(machine, registry.specs.table("system/settings") or {"settings": ()})
    servers = (registry.specs.table("system/surroundings") or {}).get("network_file_systems", ())
    used += places(machine, registry.specs.table("system/places") or {"homes": (), "caches": ()}, servers)
    logged, unread = kernel_log(machine, registry)
    reports = gathering.reports()
    if isinstance(machine, LiveMachine):
        seconds = f"{time.monotonic() - began:.1f}"
        used += (noted("gathering-took", f"gathered in {seconds} s", "accel", seconds=seconds),)
    return Snapshot(
        taken_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        host=replace(host, gaps=host.gaps + unread),
        environments=(environment,),
        observations=(*seen, *used, *surroundings(machine), *upkeep(machine), *services(machine), *logged),
        wiring=gathering.wiring,
        reports=reports,
        gaps=plugin_gaps(registry),
    )


def devices_and_wiring(
    machine: "Machine",
    registry: "Registry",
    *,
    isolate: bool = True,
    timeout_seconds: float = 20.0,
    brief: bool = False,
) -> "Snapshot":
    """Return the devices of this machine, how they are connected and how it is wired; nothing else is read.

    brief  as in WiringSource
    """
    gathering = Gathering(
        machine,
        registry,
        depth="health",
        isolate=isolate,
        timeout_seconds=timeout_seconds,
        wiring=True,
        links_only=True,
        brief=brief,
    )

    from accel.collect.host import host_facts
    from accel.model.snapshot import Snapshot

    host = host_facts(machine)
    reports = gathering.reports()
    return Snapshot(host=host, wiring=gathering.wiring, reports=reports, gaps=plugin_gaps(registry))


def in_environment(snapshot: "Snapshot", machine: "Machine", python: str | None, *, named: bool = True) -> "Snapshot":
    """Return the same machine with another environment: that of the requested interpreter on this machine.

    It replaces what the snapshot says about environments. Raises BadInput if there is no such Python.

    named  the user named it, so it may be started
    """
    from accel.collect.environment import looked_at
    from accel.model.dataclass import replace

    environment, noted = looked_at(machine, python, architecture=snapshot.host.machine, named=named)
    changed = replace(snapshot, environments=(environment,), observations=(*snapshot.observations, *noted))
    if named:
        check_environment(changed, python)
    return changed


def check_environment(snapshot: "Snapshot", python: str | None) -> None:
    """Raise BadInput if the requested Python is not one."""
    from accel.model.errors import BadInput
    from accel.model.observation import Noted

    if any(isinstance(one, Noted) and one.fact == "environment-moved" for one in snapshot.observations):
        return  # it is a finding
    for environment in snapshot.environments:
        if python is not None and environment.source is None and environment.python_version is None:
            raise BadInput(next((gap.reason for gap in environment.gaps), f"{python}: it is not a Python interpreter."))


def device_types(registry: "Registry") -> "Mapping[str, type[Device]]":
    """Return the record of each backend's devices."""
    from accel.model.device import Device

    return {backend.name: getattr(backend, "device_type", Device) for backend in registry.backends}


def plugin_gaps(registry: "Registry") -> "tuple[Gap, ...]":
    """Return a gap for each plugin and each spec file that was needed but could not be used."""
    from accel.model.device import Gap

    spoilt = tuple(
        Gap(fact="specs", reason=f"{sentence}; see  accel specs validate FOLDER", source="specs")
        for sentence in registry.spec_problems
    )
    return spoilt + tuple(
        Gap(fact=f"plugin {p.name}", reason=f"{p.reason}; see  accel plugins list", backend=p.name, source=p.module)
        for p in registry.looked_at
        if p.status in ("failed", "clash")
    )


def judged(snapshot: "Snapshot", registry: "Registry", powershell: bool | None = None) -> "Diagnosis":
    """Return the diagnosis; a plugin that fails only when its checks are loaded is a gap too.

    powershell  see accel.diagnose.engine.diagnose
    """
    from accel.diagnose.engine import diagnose
    from accel.model.dataclass import replace

    specs, checks, rules = registry.specs, registry.checks, registry.rules
    late = tuple(gap for gap in plugin_gaps(registry) if gap not in snapshot.gaps)
    return diagnose(replace(snapshot, gaps=snapshot.gaps + late), specs, checks, rules, powershell)


def apply_masks(
    found: "Sequence[Report]", registry: "Registry", variables: Mapping[str, str], done: frozenset[str] = frozenset()
) -> "tuple[Report, ...]":
    """Return the reports with implausible numbers removed, and `visible` and `runtime_names` set by each backend.

    done  names of the backends that have already done so in their child processes
    """
    from accel.model.plausible import plausible

    reports = []
    for report in map(plausible, found):
        backend = registry.backend(report.backend) if report.devices and report.backend not in done else None
        from accel.collect.masks import masked

        reports.append(masked(report, backend, variables) if backend is not None else report)
    return tuple(reports)


def _present(
    machine: "Machine", backends: "Sequence[Backend]", unasked: frozenset[str]
) -> "tuple[list[Backend], list[tuple[str, BaseException]]]":
    """Return the backends whose hardware may be present, with those in `unasked`, and those that failed to detect."""
    present: list[Backend] = []
    broken: list[tuple[str, BaseException]] = []
    for backend in backends:
        try:
            if backend.name in unasked or backend.detect(machine):
                present.append(backend)
        except (Exception, SystemExit) as error:  # a plugin's code may raise anything
            broken.append((backend.name, error))
    return present, broken


def _wiring_source(machine: "Machine", registry: "Registry", brief: bool) -> "WiringSource | None":
    from accel.collect.wiring import WiringSource, boards_of

    table = registry.specs.table("system/peer_modules") or {"modules": ()}
    source = WiringSource(boards_of(registry.signs), [row["name"] for row in table["modules"]], brief=brief)
    return source if source.detect(machine) else None


def _probe_here(
    backend: "Probed", machine: "Machine", depth: "Depth", guest: bool, links_only: bool
) -> "Sequence[Report]":
    from accel.collect.all_reports import all_reports
    from accel.vendors.contract.backend import Request

    try:
        reports = all_reports(backend.probe(machine, Request(depth=depth, links_only=links_only)))
    except (Exception, SystemExit) as error:  # a plugin's probe may raise anything
        return (_failed(backend.name, "probe", error),)
    if not guest:
        return reports
    from accel.plugins.validation import validate_reports

    return validate_reports(reports, backend.name)


def _failed(backend: str, step: str, error: BaseException) -> "Report":
    from accel.model.device import Gap
    from accel.model.errors import in_words
    from accel.model.report import Report

    gap = Gap(fact=step, reason=in_words(error), backend=backend)
    return Report(backend=backend, source=step, status="failed", gaps=(gap,))
