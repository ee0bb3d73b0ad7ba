"""The calls a monitor makes every second: memory, samples, processes, masks."""

from collections.abc import Iterator
from dataclasses import fields, replace

from accel.kit.evidence import LIVE, Answer, Evidence
from accel.kit.kit_run import AS_MASKED, MASKS
from accel.kit.requirement import Fault, backend_of, fault, rule, wants
from accel.kit.situations import TOOL_FAILS, TOOL_HANGS, TOOL_MISSING
from accel.model.device import Device, Memory

_CHANGING = ("memory_used_bytes", "memory_free_bytes", "utilization_percent", "temperature_celsius", "power_watts")
_OF_MASKS = {"visible": None, "runtime_names": None}


@rule("memory", "monitor", "memory() agrees with the probe, and is None for a device that is not there")
def memory(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    asked = 0
    for kit_run in evidence.recorded():
        known = {d.id: d for d in kit_run.devices()}
        for answer in kit_run.answers:
            if answer.method != "memory" or answer.raised:
                continue
            device = known.get(answer.call.removeprefix("memory of "))
            if device is None:
                if answer.value is not None:
                    yield fault("memory-of-no-device", answer=answer)
                continue
            asked += 1
            if isinstance(answer.value, Memory):
                yield from _agrees(answer, answer.value.total_bytes, device)
    wants(asked, "it has no recorded machine with a device whose memory() returned: see docs/conformance.md")


def _agrees(answer: Answer, total: int | None, device: Device) -> Iterator[Fault]:
    whole = device.memory_total_bytes
    if total is not None and whole and abs(total - whole) > 0.05 * max(whole, total):
        yield fault("memory-disagrees", answer=answer, total=total, whole=whole)


@rule("sample", "monitor", "sample() gives the same devices in the same order, with readings of now or None")
def sample(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    sampled = 0
    for kit_run in evidence.kit_runs:
        before = evidence.as_recorded(kit_run.machine)
        answer = kit_run.answer("sample")
        if before is None or answer is None or not isinstance(answer.value, tuple):
            continue
        known = before.devices()
        sampled += bool(known)
        given = [d for d in answer.value if isinstance(d, Device)]
        if [d.id for d in given] != [d.id for d in known]:
            yield fault("sample-other-devices", answer=answer, sampled=_ids(given), asked=_ids(known))
            continue
        for was, now in zip(known, given, strict=True):
            changed = [
                n
                for n in ("uuid", "serial", "pci_address", "name")
                if getattr(was, n) and getattr(was, n) != getattr(now, n)
            ]
            if changed:
                yield fault("sample-changes-identity", answer=answer, changed=", ".join(changed), was=was)
            probed = {d.id: d for d in kit_run.devices()}.get(now.id)
            stale = [n for n in _CHANGING if getattr(now, n) is not None and getattr(now, n) == getattr(was, n)
                     and (probed is None or getattr(probed, n) is None)]  # fmt: skip
            if stale and kit_run.situation in (TOOL_MISSING, TOOL_FAILS, TOOL_HANGS):
                yield fault("sample-stale", answer=answer, stale=", ".join(stale), was=was)
    wants(sampled, "it has no recorded machine with a device that was sampled: see docs/conformance.md")


@rule("readings", "monitor", "A recording shows it reading what changes: memory in use, load, heat or power")
def readings(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    shown = {n for t in evidence.recorded() for d in t.devices() for n in _CHANGING if getattr(d, n) is not None}
    wants(shown, "no recorded machine shows a changing reading: record one whose tool or files say them")
    return
    yield


@rule("processes", "monitor", "processes() answers for the devices listed, and the probe holds none itself")
def processes(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    asked = 0
    for kit_run in evidence.kit_runs:
        answer = kit_run.answer("processes")
        if answer is None or not isinstance(answer.value, dict):
            continue
        ids = {d.id for d in kit_run.devices()}
        asked += bool(ids) and kit_run in evidence.recorded()
        strange = [key for key in answer.value if key not in ids]
        if strange and kit_run in evidence.recorded():
            yield fault("processes-of-unlisted", answer=answer, strange=", ".join(map(str, strange[:3])))
        for key, rows in answer.value.items():
            for process in rows or ():
                if kit_run.situation == LIVE and process.name and "accel.kit" in process.name:
                    yield fault("probe-holds-device", key=key, process=process)
                if not isinstance(process.pid, int) or process.pid <= 0:
                    yield fault("process-without-pid", answer=answer, process=process)
    wants(asked, "it has no recorded machine with a device whose processes() returned: see docs/conformance.md")


@rule("masks", "monitor", "visible() says what the runtime's mask hides, and changes nothing else")
def masks(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    tried, hidden = 0, False
    variables: set[str] = set()
    for kit_run in evidence.recorded():
        known = kit_run.devices()
        for answer in kit_run.answers:
            if answer.method != "visible" or not isinstance(answer.value, tuple) or not known:
                continue
            tried += 1
            given = [d for d in answer.value if isinstance(d, Device)]
            if [replace(d, **_OF_MASKS) for d in given] != [replace(d, **_OF_MASKS) for d in known]:  # type: ignore[arg-type]
                what = _ids(given) if [d.id for d in given] != [d.id for d in known] else _other_facts(given, known)
                yield fault("visible-changes-devices", answer=answer, what=what, listed=_ids(known))
            shown = [d.visible for d in given]
            if " with " in answer.call:
                variables.add(answer.call.split(" with ")[1].split("=")[0])
                hidden |= False in shown or None in shown
            elif answer.call != AS_MASKED and False in shown:
                yield fault("hides-without-mask", answer=answer)
    if variables and not hidden:
        yield fault("masks-hide-nothing", read=", ".join(sorted(variables)), tried=", ".join(map(repr, MASKS)))
    wants(tried, "it has no recorded machine with a device: see docs/conformance.md")


def _ids(devices: object) -> str:
    assert isinstance(devices, list | tuple)
    return ", ".join(d.id for d in devices[:4]) + (" …" if len(devices) > 4 else "") or "none"


def _other_facts(given: list[Device], known: tuple[Device, ...]) -> str:
    names = {f.name for a, b in zip(given, known, strict=True) for f in fields(b)
             if f.name not in _OF_MASKS and getattr(a, f.name, None) != getattr(b, f.name)}  # fmt: skip
    return f"other values of {', '.join(sorted(names))}"
