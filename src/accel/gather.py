"""The facts of this machine, live, as one Snapshot.

Present backends are probed side by side, each in a child process with a deadline; what hangs or crashes
costs one Gap. Where forking is impossible or not wanted, probes run in this process, one after another.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from accel.backend import Backend, Depth, Request
from accel.machine import Machine
from accel.model.device import Gap
from accel.model.report import Report
from accel.registry import Registry

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot


def reports(
    machine: Machine, registry: Registry, *, depth: Depth, isolate: bool, timeout_seconds: float
) -> tuple[Report, ...]:
    """Return what the present backends report, with the visibility masks of `machine.environment` applied."""
    present, broken = _present(machine, registry)
    request = Request(depth=depth)
    if isolate and hasattr(os, "fork"):
        from accel.isolate import probe_all

        found = probe_all(present, machine, request, timeout_seconds).wait()
    else:
        found = tuple(report for backend in present for report in _probe_here(backend, machine, request))
    return apply_masks(found, registry, machine.environment) + broken


def snapshot(
    machine: Machine,
    registry: Registry,
    *,
    depth: Depth = "health",
    isolate: bool = True,
    timeout_seconds: float = 20.0,
    python: str | None = None,
) -> "Snapshot":
    """Return everything known of this machine. python: another interpreter, whose packages are looked at instead."""
    from datetime import datetime, timezone

    from accel.environment import environment_facts
    from accel.host import host_facts
    from accel.model.snapshot import Snapshot

    return Snapshot(
        taken_at=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        reports=reports(machine, registry, depth=depth, isolate=isolate, timeout_seconds=timeout_seconds),
        host=host_facts(machine),
        environments=(environment_facts(machine, python),),
        gaps=plugin_gaps(registry),
    )


def plugin_gaps(registry: Registry) -> tuple[Gap, ...]:
    """Return one gap for each plugin that could not be used."""
    return tuple(
        Gap(fact=f"plugin {p.name}", reason=f"{p.reason}; see  accel plugins list", backend=p.name, source=p.module)
        for p in registry.plugins
        if p.status in ("failed", "clash")
    )


def apply_masks(found: Sequence[Report], registry: Registry, variables: Mapping[str, str]) -> tuple[Report, ...]:
    """Return the reports with each device's `visible` and `runtime_names` set by its backend."""
    masked = []
    for report in found:
        backend = registry.backend(report.backend)
        if backend is not None and report.devices:
            try:
                report = replace(report, devices=tuple(backend.visible(report.devices, variables)))
            except Exception as error:  # a plugin's code may raise anything
                reason = f"reading the masks broke: {type(error).__name__}: {error}"
                report = replace(report, gaps=(*report.gaps, Gap(fact="visible", reason=reason, backend=backend.name)))
        masked.append(report)
    return tuple(masked)


def _present(machine: Machine, registry: Registry) -> tuple[list[Backend], tuple[Report, ...]]:
    present, broken = [], []
    for backend in registry.backends:
        try:
            if backend.detect(machine):
                present.append(backend)
        except Exception as error:  # a plugin's code may raise anything
            gap = Gap(fact="detect", reason=f"{type(error).__name__}: {error}", backend=backend.name)
            broken.append(Report(backend=backend.name, source="detect", status="failed", gaps=(gap,)))
    return present, tuple(broken)


def _probe_here(backend: Backend, machine: Machine, request: Request) -> Sequence[Report]:
    try:
        return tuple(backend.probe(machine, request))
    except Exception as error:  # a plugin's probe may raise anything
        gap = Gap(fact="probe", reason=f"{type(error).__name__}: {error}", backend=backend.name)
        return (Report(backend=backend.name, source="probe", status="failed", gaps=(gap,)),)
