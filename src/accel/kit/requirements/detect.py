"""detect() is called by every command: it is cheap, loads and runs nothing, and returns False without hardware."""

from collections.abc import Iterator

from accel.kit.evidence import LIVE, NOTHING_HERE, Evidence
from accel.kit.requirement import Fault, rule, unless, wants

_SECONDS = 0.005


@rule("detect-cheap", "discover", "detect() takes under 5 ms, loads no library and runs no command")
def detect_cheap(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and evidence.loading.backend, "it registers no backend that can be called")
    answers = list(evidence.answers(lambda a: a.method == "detect"))
    for answer in answers:
        for effect in answer.effects:
            if effect.kind in ("library", "process", "framework", "socket"):
                yield Fault(
                    sentence=f"detect() {effect.what}",
                    remedy="Ask only what costs nothing: machine.exists(node), machine.pci_ids(), "
                    "machine.finds_library(name)",
                    where=effect.where,
                )
        for command, _ in answer.commands:
            yield Fault(
                sentence=f"detect() runs {command!r}",
                remedy="Look for the tool or a device node with machine.exists(); run it in probe()",
            )
    for kit_run in evidence.kit_runs:
        times = [a.seconds for a in kit_run.answers if a.method == "detect"]
        if times and min(times) > _SECONDS and kit_run.situation != LIVE:
            yield Fault(
                sentence=f"detect() takes {min(times) * 1000:.0f} ms at best; every command of accel waits for it",
                remedy="Take under 5 ms: look for one node, id or library, and leave the reading of files to probe()",
            )
    wants(answers, "detect() hangs or crashes")


@rule("detect-tells", "discover", "detect() says yes where its hardware is, and no where nothing is")
def detect_tells(evidence: Evidence) -> Iterator[Fault]:
    wants(evidence.loading and evidence.loading.backend, "it registers no backend that can be called")
    answers = list(evidence.answers(lambda a: a.call == "detect" and a.raised is None))
    for answer in answers:
        if not isinstance(answer.value, bool):
            yield Fault(
                sentence=f"{answer.place} gave {answer.value!r:.40}, where True or False is wanted",
                remedy="Return a bool: bool(...) around it, or any(...)",
            )
    for kit_run in evidence.situation(NOTHING_HERE):
        found = kit_run.answer("detect")
        processors = kit_run.devices() and all(d.kind == "cpu" for d in kit_run.devices())
        if found and found.value and not processors:  # every machine has a processor
            yield Fault(
                sentence="detect() says yes on a machine that has nothing: no bus, no node, no library, no tool",
                remedy="Return True only for a PCI id, a device node or a library of the vendor's own",
            )
    recorded = 0
    for kit_run in evidence.recorded():
        expected = evidence.expected.get(kit_run.machine)
        found = kit_run.answer("detect")
        if found and expected and expected.devices:
            recorded += 1
            if not found.value and not found.raised:
                yield Fault(
                    sentence=f"detect() says no on the machine {kit_run.machine!r}, whose devices are expected",
                    remedy="See what of it is recorded (bus, nodes, libraries), and ask for one of these",
                )
    wants(answers, "detect() hangs or crashes")
    wants(recorded, "no recorded machine with expected devices: see docs/conformance.md")


@rule("signs", "discover", "The signs in its metadata are on its machines, and not on a machine that has nothing")
def signs(evidence: Evidence) -> Iterator[Fault]:
    unless(evidence.subject.signs, "its metadata states none: it is asked on every machine")
    stated = " ".join(evidence.subject.signs)
    for kit_run in evidence.situation(NOTHING_HERE):
        if kit_run.signs_shown and not any(d.kind == "cpu" for d in kit_run.devices()):
            yield Fault(
                sentence=f"one of its signs ({stated}) is on a machine that has nothing",
                remedy="State what only this vendor's hardware shows; leave out always",
            )
    told = 0
    for kit_run in evidence.recorded():
        expected = evidence.expected.get(kit_run.machine)
        if expected is None or not expected.devices:
            continue
        told += 1
        if kit_run.signs_shown is False:
            yield Fault(
                sentence=f"none of its signs ({stated}) is on the machine {kit_run.machine!r}, whose devices are "
                "expected: accel would not ask it there",
                remedy="Add a sign that this machine shows to accel.plugin_signs (accel.vendors.toolkit.presence)",
            )
    wants(told, "no recorded machine with expected devices: see docs/conformance.md")


RULES = (detect_cheap, detect_tells, signs)
