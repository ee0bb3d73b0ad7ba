"""The calls on one machine in one situation, and the readers on texts: its own, truncated ones, and others'."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from accel.kit.caller import MOST_ITEMS, Caller, Step, not_carried, sentence, taken
from accel.kit.evidence import AS_RECORDED, LIVE, FoundProblem, TextTrial, sound
from accel.kit.situations import cut
from accel.kit.watch import Watch
from accel.kit.watched_machine import Asked, WatchedMachine, watched
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.report import Report
from accel.text.clean import clean
from accel.vendors.contract.backend import Depth, Reader, Reading, Request, has_sign

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry
    from accel.specs import Specs
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule


MASKS: Final = ("", "0", "-1", "9999", "0,0", "a;b")
AS_MASKED: Final = "visible here"
_MOST_DEVICES: Final = 8
_MOST_VARIABLES: Final = 6
_LIVE_SECONDS: Final = 15.0
_CUTS: Final = (0.03, 0.17, 0.31, 0.5, 0.66, 0.83, 0.97)
_SECONDS: Final = 3.0
_OF_ENDLESS: Final = 100  # readings kept from an endless reader


def try_backend(
    backend: "Backend", machine: "Machine", known: Sequence[Device], caller: Caller, watch: Watch, situation: str
) -> tuple[Report, ...]:
    """Make the situation's calls; return the first probe's reports. known: the devices of the fault-free machine."""
    world = watched(machine, watch)
    if situation == LIVE:
        return _live(backend, world, caller)
    for name in ("detect", "detect again", "detect a third time"):
        caller.call(name, lambda: backend.detect(world), world)
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


def texts_to_try(own: Mapping[str, str], readers: Sequence[Reader]) -> Iterator[tuple[str, str, float, bool]]:
    """Yield (name, text, fraction of it given, whether it is foreign)."""
    for name, text in own.items():
        yield name, text, 1.0, False
        for share in _CUTS:
            yield name, cut(text, share), share, False
    from accel.specs import load

    table = load().table("system/conformance")
    for row in table["foreign"]:
        yield row["name"], row["text"] * row.get("times", 1), 1.0, True
    for sign in dict.fromkeys(sign for reader in readers for sign in reader.signs):
        if isinstance(sign, str):
            yield f"prose that mentions {sign!r}", table["prose"].format(sign=sign), 1.0, True


def try_text(
    name: str, text: str, share: float, foreign: bool, readers: Sequence[Reader], watch: Watch, step: Step,
    skip: frozenset[str],
) -> TextTrial:  # fmt: skip
    """Run every reader that is not skipped on the text."""
    found: list[Report] = []
    read, raised, odd = [], [], []
    text = clean(text)
    slowest = 0.0
    with watch.watching() as effects:
        for reader in readers:
            method = f"reader-{reader.name}"
            if method in skip or not has_sign(reader, text.lower()):
                continue
            with watch.allowed():
                step(
                    method,
                    f"reader {reader.name}",
                    name if share == 1.0 else f"{name}, cut at {share:.0%}",
                    "",
                    _SECONDS,
                )
            start = time.perf_counter()
            try:
                readings = list(islice(reader.read(text), MOST_ITEMS + 1))
            except (Exception, SystemExit) as error:
                raised.append((reader.name, sentence(error), watch.line_of(error.__traceback__)))
                continue
            slowest = max(slowest, time.perf_counter() - start)
            if len(readings) > MOST_ITEMS:
                odd.append((reader.name, f"gives more than {MOST_ITEMS} readings of one text"))
            odd += [
                (reader.name, f"gives {r!r:.40}, which is no Reading") for r in readings[:9] if type(r) is not Reading
            ]
            kept = readings if len(readings) <= MOST_ITEMS else readings[:_OF_ENDLESS]
            reports = [p for r in kept if isinstance(r, Reading) for p in r.reports]
            found += [p for p in reports if isinstance(p, Report)]
            if readings:
                read.append(reader.name)
    carried = not_carried(found)
    return TextTrial(
        name=name,
        cut=share,
        foreign=foreign,
        reports=() if carried else tuple(found),
        read=tuple(read),
        raised=tuple(raised),
        odd=tuple(odd),
        carried=carried,
        seconds=slowest,
        effects=tuple(effects),
    )


def judge_text(name: str, text: str, registry: "Registry", checks: Sequence["Check"]) -> TextTrial:
    """Return the plugin's findings for a text, as `accel doctor --from` would report them."""
    from accel.collect.text import read_texts

    snapshot = read_texts([(name, text)], registry)
    return TextTrial(name=name, **judged(snapshot, registry.specs, checks, registry.rules))
