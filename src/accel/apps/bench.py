"""`accel.bench`: what this machine's devices reach compared with their data sheets; and how to time a function.

took = accel.bench.timed(lambda: model(x), "cuda:0")       # warmed up, synchronised, median of many runs
result = accel.bench.run("nvidia:0", quick=True)           # as  accel bench nvidia:0 --quick
for measure in result.measures: print(measure.name, measure.value, measure.share)
accel.bench.compare(accel.bench.read("old.json"), result)  # what is slower by more than the noise
"""

import os
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from accel.apps.timed import Timing, timed
from accel.measure.bench.compare import Difference
from accel.measure.bench.compare import compared as compare
from accel.measure.bench.frameworks import SERVES, Served, installed, served
from accel.measure.bench.limits import Facts, limits_of
from accel.measure.bench.plan import MEASURES, Step, planned
from accel.measure.bench.records import Bench, Benched, Framework, Measure
from accel.measure.bench.running import Outcome, Report, Run
from accel.measure.bench.saved import read
from accel.model.dataclass import replace
from accel.model.errors import AccelError, BadInput

if TYPE_CHECKING:
    from accel.apps.sdk.chip_record import ChipSpec
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine
    from accel.measure.bench.conditions import Sample
    from accel.model.device import Device
    from accel.watch.topology import Topology

__all__ = ["Bench", "Difference", "Measure", "Timing", "compare", "read", "run", "timed"]

QUICK_SECONDS: Final = 10.0
FULL_SECONDS: Final = 300.0
_LIST_SECONDS: Final = 8.0
_INTERVAL_SECONDS: Final = 0.5


def run(
    *names: str,
    quick: bool = False,
    python: str | None = None,
    framework: str | None = None,
    only: Collection[str] = (),
    storage: "str | os.PathLike[str] | None" = None,
    deadline_seconds: float | None = None,
    report: Report | None = None,
    isolate: bool = False,
) -> Bench:
    """Measure devices with the frameworks of a Python, in child processes; this process imports none.

    names     as `accel.device` accepts them, or "all" including the CPU; none: every accelerator, or the CPU
    quick     within 10 s if the machine is not too busy; otherwise a few minutes at most
    python    the interpreter whose torch or JAX is used; None: this one, or the active environment's
    framework only "torch" or "jax"; None: for each device the one that supports it
    only      some of "matmul", "memory", "transfer", "peer", "launch", "collective", "storage"
    storage   the folder in which a file is written and read; None: the working folder
    report    called several times a second with the current step
    isolate   read the devices in child processes meanwhile; only in a program without threads of its own

    Ctrl-C, the deadline and a crash keep what was measured so far: see `Bench.ended_by` and each measure's state.
    Raises NoSuchDevice, and BadInput for a Python or an option that cannot be used.
    """
    import time
    from datetime import datetime, timezone

    from accel.apps import api
    from accel.collect.host import host_facts

    begun, started = time.monotonic(), datetime.now(timezone.utc)
    within = deadline_seconds or (QUICK_SECONDS if quick else FULL_SECONDS)
    _check(framework, only)
    machine = api._machine()
    every = api._devices(isolate, _LIST_SECONDS, depth="health")
    chosen = _chosen(every, names)
    interpreter = _interpreter(machine, python)
    found = [name for name in installed(machine, interpreter) if framework in (None, name)]
    specs = {device.id: _spec_of(device) for device in chosen}
    plans = [(served(device, found), specs[device.id][1]) for device in chosen]
    folder = os.path.abspath(os.fspath(storage) if storage is not None else os.curdir)
    steps = planned(plans, quick=quick, folder=folder, only=only)
    with ExitStack() as stack:
        it = Run(
            steps,
            python=interpreter.executable or "python3",
            machine=machine,
            within_seconds=within - (time.monotonic() - begun),
            sample=_sampling(stack, machine, chosen, isolate),
            report=report,
        )
        it.all()
    peaks = _Peaks(
        {device.id: spec for device, spec in zip(chosen, (specs[d.id][0] for d in chosen), strict=True)}, chosen
    )
    facts = {one.device.id: _facts(one, specs[one.device.id][0], it) for one, _ in plans}
    measures = tuple(_measure(step, it.outcomes[step.key], peaks, facts) for step in steps)
    return Bench(
        accel=sys.modules["accel"].__version__,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - begun, 2),
        quick=quick,
        ended_by=it.ended_by,
        python=interpreter.executable,
        frameworks=tuple(_framework(told) for told in it.about.values()),
        devices=tuple(_benched(device, specs[device.id][0]) for device in chosen),
        measures=measures,
        notes=tuple(_notes(plans, specs, measures)),
        host=host_facts(machine).name,
    )


def _check(framework: str | None, only: Collection[str]) -> None:
    if framework is not None and framework not in SERVES:
        raise BadInput(f"{framework!r} is no framework that measures. Give one of: {', '.join(SERVES)}.")
    for kind in only:
        if kind not in MEASURES:
            raise BadInput(f"{kind!r} is no measure. Give some of: {', '.join(MEASURES)}.")


def _chosen(every: "Sequence[Device]", names: Sequence[str]) -> "tuple[Device, ...]":
    """Return the devices to measure: those named, else the accelerators visible to programs, else the CPU."""
    from accel.facts.device_names import device_named

    if "all" in names:
        return tuple(one for one in every if one.visible is not False)
    if names:
        return tuple(dict.fromkeys(device_named(every, name) for name in names))
    parents = {one.parent for one in every}
    whole = tuple(d for d in every if d.kind != "cpu" and d.visible is not False and d.id not in parents)
    return whole or tuple(d for d in every if d.kind == "cpu")


def _interpreter(machine: "Machine", python: str | None) -> "Interpreter":
    from accel.collect.environment.interpreter import interpreter_of

    found, gaps = interpreter_of(machine, python)
    if found is None:
        why = (
            gaps[0].reason.replace("accel doctor --python", "accel bench --python")
            if gaps
            else ("it is not a Python interpreter.")
        )
        raise BadInput(why)
    return found


def _spec_of(device: "Device") -> "tuple[ChipSpec | None, tuple[str, ...]]":
    from accel.apps.sdk.chip_spec import spec

    known = spec(device)
    return known, known.dtypes if known is not None else ()


def _sampling(stack: ExitStack, machine: "Machine", devices: "Sequence[Device]", isolate: bool) -> "Sample | None":
    from accel.apps import api
    from accel.watch.sampling.engine import Engine

    names = [device.id for device in devices]
    try:
        engine = Engine(machine, api._registry(), names, interval_seconds=_INTERVAL_SECONDS, isolate=isolate)
    except AccelError:  # a device that is usable but not watchable is still measured
        return None
    stack.callback(engine.close)
    return lambda: engine.take().readings


class _Peaks:
    """The peaks of devices and of the links between them, each with its source."""

    def __init__(self, specs: "dict[str, ChipSpec | None]", devices: "Sequence[Device]") -> None:
        self._specs = specs
        self._devices = {device.id: device for device in devices}
        self._topology: Topology | None = None

    def of(self, step: Step) -> tuple[float | None, str | None]:
        """Return the peak of a step and its source; (None, None) if unknown."""
        spec = self._specs.get(step.device)
        ask: dict[str, Callable[[Step, ChipSpec | None], tuple[float | None, str | None]]] = {
            "matmul": self._matmul,
            "memory": self._memory,
            "transfer": self._transfer,
            "peer": self._peer,
            "collective": self._collective,
        }
        peak, source = ask[step.kind](step, spec) if step.kind in ask else (None, None)
        return (peak, source) if peak else (None, None)

    def reached(self, step: Step) -> tuple[float | None, str | None]:
        """Return a published measurement of a step and its source; (None, None) if none is known."""
        from accel.apps import api
        from accel.specs.achieved import published_rate

        spec = self._specs.get(step.device)
        if spec is None or step.kind != "matmul" or spec.scale != 1.0:
            return None, None
        return published_rate(api._specs(), spec.candidates or (spec.name,), step.row["dtype"])

    def _matmul(self, step: Step, spec: "ChipSpec | None") -> tuple[float | None, str | None]:
        return (spec.peak_flops(step.row["dtype"]), _sheet(spec)) if spec else (None, None)

    def _memory(self, step: Step, spec: "ChipSpec | None") -> tuple[float | None, str | None]:
        return (spec.memory_bandwidth_bytes_per_second, _sheet(spec)) if spec else (None, None)

    def _transfer(self, step: Step, spec: "ChipSpec | None") -> tuple[float | None, str | None]:
        from accel.facts.wiring import bytes_per_second

        device = self._devices[step.device]
        generation = getattr(device, "pcie_generation_maximum", None)
        width = getattr(device, "pcie_width_maximum", None)
        of = "of device and slot"
        if not (generation and width) and spec is not None:
            generation, width, of = spec.pcie_generation, spec.pcie_lanes, "of the product"
        if not (generation and width) or generation not in _GIGATRANSFERS:
            return None, None
        return bytes_per_second(_GIGATRANSFERS[generation], width), f"PCIe {generation}.0 x{width} {of}"

    def _peer(self, step: Step, spec: "ChipSpec | None") -> tuple[float | None, str | None]:
        from accel.apps.sdk.topology import topology

        try:
            self._topology = self._topology or topology()
            link = self._topology.link(step.device, step.others[0])
        except AccelError:
            return None, None
        return link.bytes_per_second, link.path or link.kind

    def _collective(self, step: Step, spec: "ChipSpec | None") -> tuple[float | None, str | None]:
        both = spec.link_bandwidth_bytes_per_second if spec is not None and step.others else None
        return (both / 2, f"{spec.link_type} in one direction") if both and spec else (None, None)


_GIGATRANSFERS: Final = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}  # per lane, by PCIe generation


def _sheet(spec: "ChipSpec") -> str:
    return f"{spec.name}, {spec.scale_reason}" if spec.scale_reason else spec.name


def _facts(one: Served, spec: "ChipSpec | None", it: Run) -> Facts:
    about = it.about.get(one.framework or "", {})
    told = about.get("devices") or {}
    own = told.get(one.name) or {}
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Facts(
        before=one.device,
        sheet_watts=spec.tdp_watts if spec is not None else None,
        target=own.get("target"),
        built_for=tuple(own["built_for"]) if own.get("built_for") else None,
        framework=one.framework,
        threads=about.get("threads"),
        cpus=cpus,
    )


def _measure(step: Step, outcome: Outcome, peaks: _Peaks, facts: dict[str, Facts]) -> Measure:
    result = outcome.result
    bare = Measure(
        name=step.name,
        kind=step.kind,
        device=step.device,
        others=step.others,
        unit=step.unit,
        state=outcome.state,
        reason=outcome.reason,
        conditions=outcome.conditions,
    )
    if outcome.state != "measured":
        return bare
    seconds, best = float(result["seconds"]), float(result["best"])
    amount = float(result.get("amount") or 0.0)
    latency = step.unit == "s"
    value = seconds if latency else amount / seconds
    peak, source = peaks.of(step)
    reached, told = peaks.reached(step)
    extra = {name: float(result[name]) for name in ("round_trip_seconds", "order", "capped") if result.get(name)}
    if result.get("cached_seconds"):
        extra["page_cache_bytes_per_second"] = amount / float(result["cached_seconds"])
    measured = replace(
        bare,
        value=value,
        best=best if latency else amount / best,
        spread=round(float(result["spread"]), 4),
        runs=int(result["runs"]),
        peak=peak,
        peak_source=source,
        share=round(value / peak, 4) if peak else None,
        reached=reached,
        reached_source=told,
        way=result.get("way"),
        extra=extra,
    )
    return replace(measured, limited_by=limits_of(measured, facts[step.device]))


def _framework(told: Any) -> Framework:
    return Framework(name=told["framework"], version=told["version"], build=told["build"], threads=told["threads"])


def _benched(device: "Device", spec: "ChipSpec | None") -> Benched:
    return Benched(
        id=device.id,
        name=device.name,
        kind=device.kind,
        architecture=device.architecture,
        driver_version=device.driver_version,
        power_limit_watts=device.power_limit_watts,
        power_default_watts=getattr(device, "power_default_watts", None),
        product=spec.name if spec is not None else None,
        scale_reason=spec.scale_reason if spec is not None else None,
    )


def _notes(plans: Any, specs: Any, measures: Sequence[Measure]) -> "list[str]":
    """Return the notes needed to interpret the figures."""
    said = []
    for one, _ in plans:
        spec = specs[one.device.id][0]
        if one.reason is not None:
            said.append(f"{one.device.id}: {one.reason}")
        if spec is not None:
            said += [f"{one.device.id}: {sentence}" for sentence in spec.limits]
            if spec.confidence == "low":
                said.append(f"{one.device.id}: its peaks are estimates or from the press.")
        elif any(measure.device == one.device.id and measure.value for measure in measures):
            said.append(f"{one.device.id}: its peak figures are unknown, so no share of peak is given.")
    return said
