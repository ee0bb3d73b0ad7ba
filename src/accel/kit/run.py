"""Tries a plugin and judges it."""

import os
import platform
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from difflib import get_close_matches

from accel.kit.child import Orders
from accel.kit.evidence import LIVE, NOTHING_HERE, SIMULATING, Evidence, KitRun, Loading, TextTrial
from accel.kit.plan import TEXTS
from accel.kit.process import Begin, Trying, begun
from accel.kit.recordings import checkout_recordings, read_recordings
from accel.kit.requirement import Rule, judge
from accel.kit.requirements import all_rules
from accel.kit.result import Result, reached
from accel.kit.subject import Subject, find_subject
from accel.model.errors import BadInput


def check_plugin(
    name: str,
    *,
    machines: str | None = None,
    rules: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    paths: Sequence[str] | None = None,
    begin: Begin = begun,
) -> Result:
    """Try the plugin with this name.

    machines: a folder of recordings to use instead of those that it ships. paths: where to look for plugins, sys.path
    if None. begin: starts the child process that tries it.

    Raises PluginError if there is no such plugin, BadInput for an unknown rule or a missing folder.
    """
    start = time.perf_counter()
    chosen = _chosen(rules)
    places = tuple(sys.path if paths is None else paths)
    subject = find_subject(name, os.environ if environment is None else environment, places)
    evidence = gathered(subject, machines, places, begin)
    outcomes = tuple(judge(rule, evidence) for rule in chosen)
    return Result(
        plugin=subject.name,
        distribution=subject.distribution,
        version=subject.version,
        level=None if rules else reached(outcomes),
        outcomes=outcomes,
        notes=tuple(_notes(evidence)),
        machines=tuple(kit_run.machine for kit_run in evidence.recorded()),
        chosen=bool(rules),
        seconds=round(time.perf_counter() - start, 3),
        accel=_own_version(),
        python=platform.python_version(),
        system=platform.system().lower(),
        taken_at=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def gathered(subject: Subject, machines: str | None, paths: Sequence[str], begin: Begin = begun) -> Evidence:
    """Run all trials, in child processes."""
    machines = machines or checkout_recordings(subject)
    recordings = read_recordings(machines, subject.name)
    if subject.clash:
        return Evidence(subject=subject, loading=None)
    trying = Trying(begin)
    trying.carry_out(Orders(subject=subject, paths=tuple(paths), machines=recordings.folder))
    loading: Loading | None = trying.results.get(("load", ""))
    if machines is None and loading is not None:
        recordings = read_recordings(loading.machines, subject.name)
    found = trying.results
    texts_tried: tuple[TextTrial, ...] = found.get((TEXTS, ""), ())
    return Evidence(
        subject=subject,
        loading=loading,
        kit_runs=tuple(value for value in found.values() if isinstance(value, KitRun)),
        texts=texts_tried,
        endings=tuple(trying.endings),
        expected=recordings.expected,
        texts_expected=recordings.texts_expected,
        unusable=recordings.unusable,
    )


def _notes(evidence: Evidence) -> Iterable[str]:
    empty = next((t for t in evidence.situation(NOTHING_HERE)), None)
    simulating = next((t for t in evidence.situation(SIMULATING)), None)
    if empty and simulating and len(simulating.devices()) > len(empty.devices()):
        devices = ", ".join(d.id for d in simulating.devices())
        yield (
            f"it still simulates {devices}: users see a device that is not there. Delete its simulation before you "
            f"publish, or turn it off with ACCEL_{evidence.subject.name.upper().replace('-', '_')}_SIMULATED=0"
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
