"""Tries a plugin and judges it."""

import os
import platform
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from difflib import get_close_matches

from accel.conformance.child import EMPTY_SNAPSHOT, SIMULATING, Orders
from accel.conformance.evidence import AS_RECORDED, LIVE, NOTHING_HERE, Evidence, Loading, TextTrial, Trial
from accel.conformance.process import Trying
from accel.conformance.recordings import Recordings, commands_of, read_recordings
from accel.conformance.result import Result, reached
from accel.conformance.rule import Rule, judge
from accel.conformance.rules import all_rules
from accel.conformance.situations import SITUATIONS
from accel.conformance.subject import Subject, find_subject
from accel.errors import BadInput

_IN_EVERY_SITUATION = 3  # machines: the others are tried only as they are


def check_plugin(
    name: str,
    *,
    machines: str | None = None,
    rules: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Result:
    """Try the plugin of this name. machines: a folder of recordings to use for those that it ships.

    Raises PluginError if there is no such plugin, BadInput for a rule or folder that is not there.
    """
    start = time.perf_counter()
    chosen = _chosen(rules)
    subject = find_subject(name, os.environ if environment is None else environment)
    evidence = gathered(subject, machines)
    outcomes = tuple(judge(rule, evidence) for rule in chosen)
    return Result(
        plugin=subject.name,
        distribution=subject.distribution,
        version=subject.version,
        level=None if rules else reached(outcomes),
        outcomes=outcomes,
        notes=tuple(_notes(evidence)),
        machines=tuple(trial.machine for trial in evidence.recorded()),
        chosen=bool(rules),
        seconds=round(time.perf_counter() - start, 3),
        accel=_own_version(),
        python=platform.python_version(),
        system=platform.system().lower(),
        taken_at=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def gathered(subject: Subject, machines: str | None) -> Evidence:
    """Try everything, in processes of their own."""
    recordings = read_recordings(machines)
    if subject.clash:
        return Evidence(subject=subject, loading=None)
    trying = Trying()
    nothing = Orders(subject=subject, paths=tuple(sys.path), skip=frozenset(), jobs=(), texts={})
    trying.carry_out(nothing)
    loading: Loading | None = trying.results.get(("load", ""))
    if loading is not None and loading.error is None:
        if machines is None:
            recordings = read_recordings(loading.machines)
        texts = _texts(recordings)
        trying.carry_out(
            Orders(
                subject=subject,
                paths=tuple(sys.path),
                skip=frozenset(),
                jobs=tuple(_jobs(recordings)),
                texts=texts,
                judged_texts=tuple(name for name, e in recordings.texts_expected.items() if e.findings is not None),
            )
        )
    found = trying.results
    texts_tried: tuple[TextTrial, ...] = found.get(("texts", ""), ())
    return Evidence(
        subject=subject,
        loading=loading,
        trials=tuple(value for value in found.values() if isinstance(value, Trial)),
        texts=texts_tried,
        endings=tuple(trying.endings),
        expected=recordings.expected,
        texts_expected=recordings.texts_expected,
        machines_folder=recordings.folder,
        unusable=recordings.unusable,
    )


def _jobs(recordings: Recordings) -> Iterable[tuple[str, str | None, str]]:
    yield "", None, NOTHING_HERE
    yield "", None, EMPTY_SNAPSHOT
    yield "", None, SIMULATING
    for name, folder in recordings.machines.items():
        yield name, folder, AS_RECORDED
    for name in _telling(recordings):
        for situation in SITUATIONS:
            yield name, recordings.machines[name], situation
    yield "texts", None, ""
    yield "", None, LIVE


def _telling(recordings: Recordings) -> list[str]:
    """Return the machines that are tried in every situation: those with devices, the richest recordings first."""

    def devices(name: str) -> int:
        expected = recordings.expected.get(name)
        return sum(len(row) for row in expected.devices or ()) if expected else 0

    return sorted(recordings.machines, key=lambda name: (-devices(name), name))[:_IN_EVERY_SITUATION]


def _texts(recordings: Recordings) -> Mapping[str, str]:
    printed = {
        f"{command} on {name}": text
        for name, folder in recordings.machines.items()
        for command, text in commands_of(folder).items()
    }
    return {**recordings.texts, **printed}


def _notes(evidence: Evidence) -> Iterable[str]:
    empty = next((t for t in evidence.situation(NOTHING_HERE)), None)
    simulating = next((t for t in evidence.situation(SIMULATING)), None)
    if empty and simulating and len(simulating.devices()) > len(empty.devices()):
        devices = ", ".join(d.id for d in simulating.devices())
        yield (
            f"it still simulates {devices}: users see a device that is not there. Delete its simulation "
            f"before you publish, "
            f"or turn it off with ACCEL_{evidence.subject.name.upper().replace('-', '_')}_SIMULATED=0"
        )
    live = next((t for t in evidence.situation(LIVE)), None)
    if live is not None and live.answer("probe") and live.devices():
        yield f"this machine has {len(live.devices())} of its devices, and they were asked"


def _chosen(names: Sequence[str]) -> tuple[Rule, ...]:
    rules = {rule.name: rule for rule in all_rules()}
    for name in names:
        if name not in rules:
            near = get_close_matches(name, rules, 2, 0.5)
            meant = f"Did you mean {' or '.join(near)}?" if near else f"The rules are: {', '.join(rules)}."
            raise BadInput(f"No rule {name!r}. {meant} See them all:  accel plugins check NAME --verbose")
    return tuple(rules[name] for name in dict.fromkeys(names)) if names else tuple(rules.values())


def _own_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("accel-sdk")
    except PackageNotFoundError:
        return None
