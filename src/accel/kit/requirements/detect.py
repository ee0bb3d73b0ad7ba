"""detect() is called by every command: it is cheap, loads and runs nothing, and returns False without hardware."""

from collections.abc import Iterator

from accel.kit.evidence import LIVE, NOTHING_HERE, Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, unless, wants

_SECONDS = 0.005


@rule("detect-cheap", "discover", "detect() takes under 5 ms, loads no library and runs no command")
def detect_cheap(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    answers = list(evidence.answers(lambda a: a.method == "detect"))
    for answer in answers:
        for effect in answer.effects:
            if effect.kind in ("library", "process", "framework", "socket"):
                yield fault("detect-has-effect", where=effect.where, effect=effect)
        for command, _ in answer.commands:
            yield fault("detect-runs-command", command=command)
    for kit_run in evidence.kit_runs:
        times = [a.seconds for a in kit_run.answers if a.method == "detect"]
        if times and min(times) > _SECONDS and kit_run.situation != LIVE:
            yield fault("detect-slow", milliseconds=min(times) * 1000)
    wants(answers, "detect() hangs or crashes")


@rule("detect-tells", "discover", "detect() says yes where its hardware is, and no where nothing is")
def detect_tells(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    answers = list(evidence.answers(lambda a: a.call == "detect" and a.raised is None))
    for answer in answers:
        if not isinstance(answer.value, bool):
            yield fault("detect-not-bool", answer=answer)
    for kit_run in evidence.situation(NOTHING_HERE):
        found = kit_run.answer("detect")
        processors = kit_run.devices() and all(d.kind == "cpu" for d in kit_run.devices())
        if found and found.value and not processors:  # every machine has a processor
            yield fault("detect-yes-on-nothing")
    recorded = 0
    for kit_run in evidence.recorded():
        expected = evidence.expected.get(kit_run.machine)
        found = kit_run.answer("detect")
        if found and expected and expected.devices:
            recorded += 1
            if not found.value and not found.raised:
                yield fault("detect-no-on-its-machine", kit_run=kit_run)
    wants(answers, "detect() hangs or crashes")
    wants(recorded, "no recorded machine with expected devices: see docs/conformance.md")


@rule("signs", "discover", "The signs in its metadata are on its machines, and not on a machine that has nothing")
def signs(evidence: Evidence) -> Iterator[Fault]:
    unless(evidence.subject.signs, "its metadata states none: it is asked on every machine")
    stated = " ".join(evidence.subject.signs)
    for kit_run in evidence.situation(NOTHING_HERE):
        if kit_run.signs_shown and not any(d.kind == "cpu" for d in kit_run.devices()):
            yield fault("sign-on-nothing", stated=stated)
    told = 0
    for kit_run in evidence.recorded():
        expected = evidence.expected.get(kit_run.machine)
        if expected is None or not expected.devices:
            continue
        told += 1
        if kit_run.signs_shown is False:
            yield fault("sign-not-shown", stated=stated, kit_run=kit_run)
    wants(told, "no recorded machine with expected devices: see docs/conformance.md")
