"""The calls on one machine in one situation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from accel.kit.caller import Caller, taken
from accel.kit.evidence import AS_RECORDED, LIVE, FoundProblem, sound
from accel.kit.watch import Watch
from accel.kit.watched_machine import Asked, WatchedMachine, watched
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.report import Report
from accel.vendors.contract.backend import Depth, Request

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

MASKS: Final = ("", "0", "-1", "9999", "0,0", "a;b")
AS_MASKED: Final = "visible here"
_MOST_DEVICES: Final = 8
_MOST_VARIABLES: Final = 6
_LIVE_SECONDS: Final = 15.0


def try_backend(
    backend: "Backend", machine: "Machine", known: Sequence[Device], caller: Caller, watch: Watch, situation: str
) -> tuple[Report, ...]:
    """Make the situation's calls; return the first probe's reports. known: the devices of the fault-free machine."""
    world = watched(machine, watch)
    if situation == LIVE:
        return _live(backend, world, caller)
    for time in ("detect", "detect again", "detect a third time"):
        caller.call(time, lambda: backend.detect(world), world)
    probed = caller.call("probe", _probing(backend, world, "health"), world)
    reports = _reports(probed.value) if probed else ()
    if situation == AS_RECORDED:
        caller.call("probe again", _probing(backend, world, "health"), world)
        caller.call("probe for devices", _probing(backend, world, "devices"), world)
        known = merged_devices(sound(reports))[0]
        for device in known[:_MOST_DEVICES]:
            caller.call(f"memory of {device.id}", partial(backend.memory, world, device.id), world)
        caller.call(f"memory of {backend.name}:99", lambda: backend.memory(world, f"{backend.name}:99"), world)
        caller.call(AS_MASKED, lambda: backend.visible(known, machine.environment))
        _masks(backend, known, caller)
        caller.call_in_fork("probe in a fork", lambda: _ids(taken(_probing(backend, world, "health")())[0]))
    else:
        first = known[0].id if known else f"{backend.name}:0"
        caller.call(f"memory of {first}", lambda: backend.memory(world, first), world)
        caller.call("visible", lambda: backend.visible(known, {}))
    caller.call("sample", lambda: backend.sample(world, known), world)
    caller.call("processes", lambda: backend.processes(world), world)
    return reports


def known_devices(backend: "Backend", machine: "Machine") -> tuple[Device, ...]:
    """Return the devices of a machine without a fault, unwatched; () if its probe fails."""
    try:
        reports = _reports(taken(backend.probe(machine, Request(depth="health")))[0])
    except Exception:  # a plugin's probe may raise anything; the rules see it in the trial of that machine
        return ()
    return merged_devices(sound(reports))[0]


def judged(
    snapshot: "Snapshot", specs: "Specs", checks: Sequence["Check"], rules: "Sequence[Rule] | None" = None
) -> dict[str, Any]:
    """Return the results of the plugin's own checks on a snapshot, as fields of a KitRun or a TextTrial."""
    from accel.diagnose.engine import diagnose

    diagnosis = diagnose(snapshot, specs, checks, rules)
    return {
        "findings": tuple((f.code, f.name) for f in diagnosis.findings),
        "broken": tuple((g.fact.removeprefix("check "), g.reason) for g in diagnosis.gaps if g.fact[:6] == "check "),
        "problems": tuple(
            FoundProblem(code=f.code, title=f.title, remedies=len(f.remedies), evidence=len(f.evidence))
            for f in diagnosis.findings
        ),
    }


def with_reports(
    around: "Snapshot", backend: "Backend", reports: Sequence[Report], variables: Mapping[str, str]
) -> "Snapshot":
    """Return the snapshot that `accel doctor` would judge: this backend's reports, with the host and its packages."""
    return replace(around, reports=tuple(_masked(backend, report, variables) for report in sound(tuple(reports))))


def _live(backend: "Backend", world: WatchedMachine, caller: Caller) -> tuple[Report, ...]:
    here = caller.call("detect", lambda: backend.detect(world), world)
    if here is None or not here.value:
        return ()
    probed = caller.call("probe", _probing(backend, world, "devices"), world, _LIVE_SECONDS)
    caller.call("probe again", _probing(backend, world, "devices"), world, _LIVE_SECONDS)
    caller.call("processes", lambda: backend.processes(world), world, _LIVE_SECONDS)
    return _reports(probed.value) if probed else ()


def _masks(backend: "Backend", known: Sequence[Device], caller: Caller) -> None:
    """Find which variables `visible` reads, then set each of them to typical values."""
    asked = Asked({})
    caller.call("visible", lambda: backend.visible(known, asked))
    for name in list(asked.names)[:_MOST_VARIABLES]:
        for value in MASKS:
            caller.call(f"visible with {name}={value!r}", partial(backend.visible, known, {name: value}))


def _probing(backend: "Backend", world: WatchedMachine, depth: Depth) -> Callable[[], Sequence[Report]]:
    return lambda: backend.probe(world, Request(depth=depth))


def _reports(value: object) -> tuple[Report, ...]:
    return tuple(r for r in value if isinstance(r, Report)) if isinstance(value, tuple) else ()


def _ids(reports: Iterable[Report]) -> list[str]:
    return [device.id for device in merged_devices(sound(tuple(reports)))[0]]


def _masked(backend: "Backend", report: Report, variables: Mapping[str, str]) -> Report:
    try:
        return replace(report, devices=tuple(backend.visible(report.devices, variables)))
    except Exception:  # a plugin's code may raise anything; the call of `visible` itself is in the answers
        return report
