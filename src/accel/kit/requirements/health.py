"""Health is reported if it is known, and only then."""

from collections.abc import Iterator

from accel.kit.evidence import Answer, Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, unless, wants
from accel.kit.situations import DENIED, LOST, TOOL_FAILS, TOOL_HANGS
from accel.model.device import Device


@rule("health-said", "health", "A recording shows it saying a device's health")
def health_said(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    untold = any(g.fact == "health" for t in evidence.recorded() for r in t.reports() for g in r.gaps)
    said = any(d.health != "unknown" for t in evidence.recorded() for d in t.devices())
    unless(said or not untold, "a Gap says that nothing tells the health of this hardware")
    wants(
        said, "no recorded machine shows a health other than unknown: record one whose tool says it, or errors counted"
    )
    return
    yield


@rule("no-ok-without-evidence", "health", "It calls no device healthy that it cannot ask")
def no_ok_without_evidence(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    tried = 0
    for kit_run in evidence.kit_runs:
        tried += bool(kit_run.situation in (DENIED, LOST, TOOL_FAILS, TOOL_HANGS) and kit_run.answer("probe"))
        if kit_run.situation in (DENIED, LOST):
            place = kit_run.answers[0].place.partition(" ")[2] if kit_run.answers else ""
            for call, devices in (("probe()", kit_run.devices()), ("sample()", _sampled(kit_run.answer("sample")))):
                for device in devices:
                    if device.health == "ok" and device.kind != "cpu":
                        yield fault("ok-and-unreadable", call=call, device=device, place=place)
        if not kit_run.machine:  # the empty machine, and this one
            for device in kit_run.devices():
                facts = (device.uuid, device.temperature_celsius, device.power_watts, device.memory_used_bytes,
                         device.utilization_percent, device.driver_version)  # fmt: skip
                if device.health == "ok" and device.kind != "cpu" and all(fact is None for fact in facts):
                    yield fault("ok-and-nothing-known", device=device)
    wants(tried, "it has no recorded machine on which this could be tried: see docs/conformance.md")


def _sampled(answer: Answer | None) -> tuple[Device, ...]:
    value = answer.value if answer and isinstance(answer.value, tuple) else ()
    return tuple(device for device in value if isinstance(device, Device))
