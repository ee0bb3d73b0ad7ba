"""An unknown value is None, with a Gap that gives the reason: never 0, never "N/A", never "ok"."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields

from accel.kit.evidence import Evidence, KitRun
from accel.kit.requirement import Fault, backend_of, fault, rule, wants
from accel.kit.situations import CUTS, DENIED, FOREIGN, LOST, SITUATIONS, TOOL_FAILS, TOOL_HANGS, TOOL_MISSING
from accel.model.device import Device, Memory
from accel.model.report import Driver

_WORDS = frozenset(
    {
        *("", "n/a", "na", "[n/a]", "none", "null", "nan", "unknown", "[unknown error]", "unknown error"),
        *("not supported", "[not supported]", "not available", "-", "--", "---", "?", "error", "err!", "undefined"),
        *("00000000-0000-0000-0000-000000000000", "0000:0000", "ffff:ffff", "ffff:ff:ff.f"),
    }
)
_EMPTY_WORDS = frozenset({"n/a", "na", "[n/a]", "null", "nan"})  # never valid; "" can be: bound to no driver
_COMMON = frozenset(f.name for f in (*fields(Device), *fields(Driver)))
_ALWAYS_SAID = ("health", "kind", "vendor")  # fields that cannot be None
_NEVER_ZERO = ("memory_total_bytes", "temperature_celsius", "power_limit_watts")
_READINGS = ("memory_used_bytes", "memory_free_bytes", "utilization_percent", "temperature_celsius", "power_watts")
_BLIND = (DENIED, LOST, TOOL_MISSING, TOOL_FAILS, TOOL_HANGS)


@rule("unknown-is-none", "discover", 'What it does not know is None: no 0, no -1, no "N/A"')
def unknown_is_none(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    seen = 0
    for kit_run in evidence.kit_runs:
        place = kit_run.answers[0].place.partition(" ")[2] if kit_run.answers else ""
        for device in _all_devices(kit_run):
            seen += 1
            for name, words in _stand_ins(device):
                yield fault("stand-in-of-device", name=name, device=device, words=words, place=place)
        for report in kit_run.reports():
            for name, words in _stand_ins(report.driver) if isinstance(report.driver, Driver) else ():
                yield fault("stand-in-of-driver", name=name, words=words, place=place)
        before = evidence.as_recorded(kit_run.machine)
        if kit_run.situation in _BLIND and before is not None:
            yield from _turned_zero(kit_run, before, place)
        for answer in kit_run.answers:
            if answer.method == "memory" and isinstance(answer.value, Memory) and answer.value.total_bytes == 0:
                yield fault("memory-zero", answer=answer)
    wants(seen, "it gave no device: record a machine that has one, see docs/conformance.md")


def _all_devices(kit_run: KitRun) -> Iterator[Device]:
    for report in kit_run.reports():
        yield from (d for d in report.devices if isinstance(d, Device))
    sampled = kit_run.answer("sample")
    if sampled and isinstance(sampled.value, tuple):
        yield from (d for d in sampled.value if isinstance(d, Device))


def _stand_ins(record: object) -> Iterator[tuple[str, str]]:
    """Yield the fields that hold a word or a number in place of "unknown"."""
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        if field.name not in _ALWAYS_SAID and _stands_for_unknown(field.name, value):
            yield field.name, repr(value)


def _stands_for_unknown(name: str, value: object) -> bool:
    if isinstance(value, str):
        words = _WORDS if name in _COMMON else _EMPTY_WORDS
        return value.strip().lower() in words
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if not math.isfinite(value) or (value == 0 and name in _NEVER_ZERO):
        return True
    return value < 0 and name != "temperature_celsius"


def _turned_zero(kit_run: KitRun, before: KitRun, place: str) -> Iterator[Fault]:
    known = {d.id: d for d in before.devices()}
    for device in kit_run.devices():
        was = known.get(device.id)
        for name in (*_READINGS, "memory_total_bytes"):
            value = getattr(device, name)
            if was is not None and value is not None and value == 0 and getattr(was, name) not in (0, None):
                yield fault("turned-zero", name=name, device=device, place=place, was=getattr(was, name))


@rule("gaps-said", "discover", "Where it learns less, a Gap or the report's status says so")
def gaps_said(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    compared = 0
    for kit_run in evidence.kit_runs:
        before = evidence.as_recorded(kit_run.machine)
        probed = kit_run.answer("probe")
        if kit_run.situation not in SITUATIONS or before is None or probed is None or probed.raised:
            continue
        had, has = before.devices(), kit_run.devices()
        compared += bool(had)
        present = kit_run.answer("detect")
        lost = _facts(had) - _facts(has)
        quiet = all(r.status == "ok" and not r.gaps for r in kit_run.reports())
        if lost and quiet and present and present.value and kit_run.situation not in (*CUTS, FOREIGN):
            what = (
                f"{len(had) - len(has)} of {len(had)} devices"
                if len(has) < len(had)
                else ", ".join(sorted({n for _, n in lost})[:4])
            )
            yield fault("gap-missing", probed=probed, what=what)
    wants(compared, "it has no recorded machine with a device: see docs/conformance.md")


def _facts(devices: tuple[Device, ...]) -> set[tuple[str, str]]:
    return {(d.id, f.name) for d in devices for f in fields(d) if getattr(d, f.name) not in (None, "unknown", ())}


@rule("nothing-invented", "discover", "From less it makes no new device, and no other value for a known one")
def nothing_invented(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    compared = 0
    for kit_run in evidence.kit_runs:
        before = evidence.as_recorded(kit_run.machine)
        if kit_run.situation not in SITUATIONS or before is None:
            continue
        known = {d.id: d for d in before.devices()}
        compared += bool(known)
        place = kit_run.answers[0].place.partition(" ")[2] if kit_run.answers else ""
        for device in kit_run.devices():
            was = _same(device, known)
            if was is None:
                if device.kind != "cpu":
                    yield fault("listed-without-evidence", device=device, place=place)
                continue
            for name in ("uuid", "serial", "pci_address", "memory_total_bytes"):
                value, whole = getattr(device, name), getattr(was, name)
                if value is not None and whole is not None and value != whole and not _near(value, whole):
                    yield fault("cut-value", name=name, device=device, value=value, place=place, whole=whole)
    wants(compared, "it has no recorded machine with a device: see docs/conformance.md")


def _same(device: Device, known: Mapping[str, Device]) -> Device | None:
    """Return the device with the same address, as in accel's merge, or else the same id.

    Without the tool the indices may differ.
    """
    by_id = known.get(device.id)
    same = [d for d in known.values() if d.pci_address and d.pci_address == device.pci_address]
    return by_id if by_id in same or not same else same[0]


def _near(value: object, whole: object) -> bool:
    """Return whether two values agree within 5 %, because sources round memory differently."""
    return isinstance(value, int) and isinstance(whole, int) and abs(value - whole) <= 0.05 * whole
