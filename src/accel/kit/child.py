"""The child process that tries a plugin. It reads its orders from stdin: see process.py.

It sends an announcement of each call and the result of each job to the kit. If a call exceeds its time limit the kit
aborts the child; then, as after a crash, faulthandler writes the current stack to stderr.
"""

import faulthandler
import gc
import os
import struct
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from accel.kit.caller import Caller, Step
from accel.kit.carried import read, written
from accel.kit.evidence import AS_RECORDED, EMPTY_SNAPSHOT, LIVE, NOTHING_HERE, SIMULATING, Answer, KitRun, TextTrial
from accel.kit.kit_run import judge_text, judged, known_devices, texts_to_try, try_backend, try_text, with_reports
from accel.kit.loading import Loaded, load
from accel.kit.plan import TEXTS, jobs, texts
from accel.kit.recordings import Recordings, read_recordings
from accel.kit.situations import SITUATIONS, EmptyLiveMachine, EmptyMachine, FaultyMachine
from accel.kit.subject import Subject
from accel.kit.watch import Watch
from accel.machine.descriptors import write_all
from accel.model.dataclass import dataclass
from accel.vendors.toolkit.presence import shown

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.machine.recorded import RecordedMachine
    from accel.model.device import Device
    from accel.model.report import Report
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry
    from accel.specs import Specs

HEAD: Final = struct.Struct("<I")
LOADING: Final = ("", "import", "hook", "others")  # steps of every child: if one does not end, nothing is left to try


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """skip: methods that hung or crashed before. done: jobs that need not run again.

    machines  folder of recorded machines, instead of the one that the plugin ships
    patience  factor for the time limit of each call; lower once a call has hung
    """

    subject: Subject
    paths: tuple[str, ...]
    machines: str | None = None
    skip: frozenset[str] = frozenset()
    done: frozenset[tuple[str, str]] = frozenset()
    patience: float = 1.0


class _Channel:
    def __init__(self, pipe: int, patience: float) -> None:
        self._pipe, self._patience = pipe, patience

    def send(self, *message: Any) -> None:
        payload = written(message)
        write_all(self._pipe, HEAD.pack(len(payload)) + payload)

    def step(self, method: str, call: str, machine: str, situation: str, seconds: float) -> None:
        seconds *= 1.0 if method in LOADING else self._patience
        self.send("step", method, call, machine, situation, seconds)

    def done(self, key: tuple[str, str], value: Any) -> None:
        self.send("done", key, value)


def main() -> None:
    """Try the plugin according to the orders."""
    gc.set_threshold(100_000)  # it ends soon, as a command does
    orders: Orders = read(sys.stdin.buffer.read())
    channel = _Channel(os.dup(1), orders.patience)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of a vendor's library must not reach the kit
    faulthandler.enable()
    watch = Watch()
    watch.install()
    loaded = load(orders.subject, watch, channel.step)
    channel.done(("load", ""), loaded.seen)
    if loaded.seen.error is None:
        recordings = read_recordings(orders.machines or loaded.seen.machines, orders.subject.name)
        for name, folder, situation in jobs(recordings):
            if (name, situation) in orders.done:
                continue
            if name == TEXTS:
                _texts(recordings, orders, loaded, watch, channel)
            else:
                channel.done((name, situation), _tried(name, folder, situation, loaded, watch, channel.step, orders))
    channel.send("end")


def _tried(
    name: str, folder: str | None, situation: str, loaded: Loaded, watch: Watch, step: Step, orders: Orders
) -> KitRun:
    skip, signs = orders.skip, orders.subject.signs
    caller = Caller(watch, step, skip, name, situation)
    machine = _machine(folder, situation, loaded.seen.backend or "")
    backend = loaded.backend
    reports: tuple[Report, ...] = ()
    if backend is not None and situation != EMPTY_SNAPSHOT:
        known: tuple[Device, ...] = ()
        if situation in SITUATIONS and "probe" not in skip:
            step("probe", "probe", name, AS_RECORDED, 3.0)
            known = known_devices(backend, _machine(folder, "", backend.name))
        reports = try_backend(backend, machine, known, caller, watch, situation)
    judgement: Mapping[str, Any] = {}
    if loaded.checks and loaded.registry is not None and situation != LIVE and "checks" not in skip:
        step("checks", "its checks", name, situation, 5.0)
        snapshot = _around(None) if situation == EMPTY_SNAPSHOT else _around(folder or "")
        if backend is not None:
            snapshot = with_reports(snapshot, backend, reports, machine.environment)
        registry = loaded.registry
        judgement = judged(snapshot, _specs(folder, registry), loaded.checks, registry.rules if registry else None)
    return KitRun(
        machine=name,
        situation=situation,
        signs_shown=shown(signs, machine) if signs else None,
        answers=_answers(caller, situation),
        **judgement,
    )


def _answers(caller: Caller, situation: str) -> tuple[Answer, ...]:
    """Return the answers; a simulation creates its own machine, so what it reads there is not evidence."""
    if situation == SIMULATING:
        return tuple(replace(answer, effects=()) for answer in caller.answers)
    return tuple(caller.answers)


@cache
def _around(folder: str | None) -> "Snapshot":
    """Return the host and packages of a recorded machine, or of an empty one for ""; an empty Snapshot for None."""
    from accel.collect.environment import environment_facts
    from accel.collect.host import host_facts
    from accel.model.snapshot import Snapshot

    if folder is None:
        return Snapshot()
    machine = _recorded(folder) if folder else EmptyMachine({})
    return Snapshot(host=host_facts(machine), environments=(environment_facts(machine, None),))


@cache
def _specs(folder: str | None, everybody: "Registry") -> "Specs":
    """Return the spec records, preceded by those that the recorded machine's owner adds with ACCEL_SPECS."""
    from accel.plugins.registry import Registry

    own = Path(folder or "", "specs")
    return Registry({**os.environ, "ACCEL_SPECS": str(own)}).specs if folder and own.is_dir() else everybody.specs


def _machine(folder: str | None, situation: str, name: str) -> "Machine":
    from accel.machine.live import LiveMachine

    off = {f"ACCEL_{name.upper().replace('-', '_')}_SIMULATED": "0"}
    if situation == LIVE:
        return LiveMachine({**os.environ, **off})
    if situation == SIMULATING:
        return EmptyLiveMachine({})
    if folder is None or situation in (NOTHING_HERE, EMPTY_SNAPSHOT):
        return EmptyMachine(off)
    recorded = _recorded(folder)
    recorded.environment = {**off, **recorded.environment}
    return FaultyMachine(recorded, SITUATIONS[situation]) if situation in SITUATIONS else recorded


@cache
def _recorded(folder: str) -> "RecordedMachine":
    from accel.machine.recorded import RecordedMachine

    return RecordedMachine(Path(folder))


def _texts(recordings: Recordings, orders: Orders, loaded: Loaded, watch: Watch, channel: _Channel) -> None:
    found: list[TextTrial] = []
    own = texts(recordings)
    for name, text, share, foreign in texts_to_try(own, loaded.readers):
        found.append(try_text(name, text, share, foreign, loaded.readers, watch, channel.step, orders.skip))
    if loaded.checks and loaded.registry is not None and "checks" not in orders.skip:
        for name, expected in recordings.texts_expected.items():
            if expected.findings is not None and name in own:
                channel.step("checks", "its checks", f"the text {name}", "", 5.0)
                found.append(judge_text(name, own[name], loaded.registry, loaded.checks))
    channel.done((TEXTS, ""), tuple(found))
