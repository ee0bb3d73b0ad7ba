"""The process in which a plugin is tried. It reads its orders from stdin, pickled: see process.py.

It sends what it is about to call, and each job's result; the kit reads both. It dies with a traceback on stderr
if a call outlasts its seconds, or if the plugin crashes it.
"""

import faulthandler
import os
import pickle
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from accel.conformance.caller import Caller, Step
from accel.conformance.evidence import LIVE, NOTHING_HERE, TextTrial, Trial
from accel.conformance.faulty import EmptyMachine, FaultyMachine
from accel.conformance.loading import Loaded, load
from accel.conformance.situations import SITUATIONS
from accel.conformance.subject import Subject
from accel.conformance.text_trial import judge_text, texts_to_try, try_text
from accel.conformance.trial import judged, known_devices, snapshot_of, try_backend
from accel.conformance.watch import Watch
from accel.signs import shown

if TYPE_CHECKING:
    from accel.machine import Machine
    from accel.model.device import Device
    from accel.model.report import Report

HEAD: Final = struct.Struct("<I")
SIMULATING: Final = "with its simulation on"
EMPTY_SNAPSHOT: Final = "a snapshot in which nothing is known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """skip: methods that hung or crashed before. jobs: (name, folder or None, situation); "texts" and "empty" too."""

    subject: Subject
    paths: tuple[str, ...]
    skip: frozenset[str]
    jobs: tuple[tuple[str, str | None, str], ...]
    texts: Mapping[str, str]
    judged_texts: tuple[str, ...] = ()


class _Channel:
    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def send(self, *message: Any) -> None:
        payload = pickle.dumps(message)
        data = memoryview(HEAD.pack(len(payload)) + payload)
        while data:
            data = data[os.write(self._pipe, data) :]

    def step(self, method: str, call: str, machine: str, situation: str, seconds: float) -> None:
        self.send("step", method, call, machine, situation, seconds)
        faulthandler.dump_traceback_later(seconds, exit=True)

    def done(self, key: tuple[str, str], value: Any) -> None:
        faulthandler.cancel_dump_traceback_later()
        self.send("done", key, value)


def main() -> None:
    """Try the plugin as ordered."""
    orders: Orders = pickle.load(sys.stdin.buffer)
    channel = _Channel(os.dup(1))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a vendor's library prints must not reach the kit
    faulthandler.enable()
    watch = Watch()
    watch.install()
    loaded = load(orders.subject, watch, channel.step)
    channel.done(("load", ""), loaded.seen)
    for name, folder, situation in orders.jobs:
        if name == "texts":
            _texts(orders, loaded, watch, channel)
        else:
            channel.done((name, situation), _tried(name, folder, situation, loaded, watch, channel.step, orders))
    channel.send("end")


def _tried(
    name: str, folder: str | None, situation: str, loaded: Loaded, watch: Watch, step: Step, orders: Orders
) -> Trial:
    skip, signs = orders.skip, orders.subject.signs
    caller = Caller(watch, step, skip, name, situation)
    machine = _machine(folder, situation, loaded.seen.backend or "")
    backend = loaded.backend
    reports: tuple[Report, ...] = ()
    if backend is not None and situation != EMPTY_SNAPSHOT:
        known: tuple[Device, ...] = ()
        if situation in SITUATIONS and "probe" not in skip:
            known = known_devices(backend, _machine(folder, "", backend.name))
        reports = try_backend(backend, machine, known, caller, watch, situation)
    judgement: Mapping[str, Any] = {}
    if loaded.checks and loaded.registry is not None and situation != LIVE and "checks" not in skip:
        from accel.model.snapshot import Snapshot

        step("checks", "its checks", name, situation, 5.0)
        if situation == EMPTY_SNAPSHOT:
            snapshot = Snapshot()
        else:
            snapshot = snapshot_of(machine, backend, reports) if backend is not None else _host_only(machine)
        judgement = judged(snapshot, loaded.registry.specs, loaded.checks)
    return Trial(
        machine=name,
        situation=situation,
        signs_shown=shown(signs, machine) if signs else None,
        answers=tuple(caller.answers),
        **judgement,
    )


def _host_only(machine: "Machine") -> Any:
    from accel.environment import environment_facts
    from accel.host import host_facts
    from accel.model.snapshot import Snapshot

    return Snapshot(host=host_facts(machine), environments=(environment_facts(machine, None),))


def _machine(folder: str | None, situation: str, name: str) -> "Machine":
    from accel.machine import LiveMachine
    from accel.testing import RecordedMachine

    off = {f"ACCEL_{name.upper().replace('-', '_')}_SIMULATED": "0"}
    if situation == LIVE:
        return LiveMachine()
    if situation == SIMULATING:
        return EmptyMachine({})
    if folder is None or situation in (NOTHING_HERE, EMPTY_SNAPSHOT):
        return EmptyMachine(off)
    recorded = RecordedMachine(Path(folder))
    recorded.environment = {**off, **recorded.environment}
    return FaultyMachine(recorded, SITUATIONS[situation]) if situation in SITUATIONS else recorded


def _texts(orders: Orders, loaded: Loaded, watch: Watch, channel: _Channel) -> None:
    found: list[TextTrial] = []
    for name, text, share, foreign in texts_to_try(orders.texts, loaded.readers):
        found.append(try_text(name, text, share, foreign, loaded.readers, watch, channel.step, orders.skip))
    if loaded.checks and loaded.registry is not None and "checks" not in orders.skip:
        for name in orders.judged_texts:
            channel.step("checks", "its checks", f"the text {name}", "", 5.0)
            found.append(judge_text(name, orders.texts[name], loaded.registry, loaded.checks))
    channel.done(("texts", ""), tuple(found))
