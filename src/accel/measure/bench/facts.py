"""Converts a saved benchmark to a snapshot of its time, for the doctor and for merging several files.

Each measure with a figure becomes a fact "measured-rate"; each device has the readings taken while its slowest measure
ran, so that its vendor's checks judge power, temperature and clocks under load.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.measure.bench.records import Bench, Benched, Conditions, Measure
from accel.model.dataclass import field_names, replace
from accel.model.device import Device, Gap, Kind
from accel.model.environment import Environment, Framework
from accel.model.observation import Noted
from accel.model.printable import printable
from accel.model.readings import Readings, with_readings
from accel.model.report import Driver, Report
from accel.model.snapshot import Snapshot
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

SOURCE: Final = "accel bench"
_SEEN: Final = 0.2  # fraction of the samples with a reason for low clocks
_TRUST: Final = 40  # a snapshot of the same machine knows more, and is newer
_DEVICE: Final = pattern(r"(?P<backend>[a-z][a-z0-9_]{0,30}):(?P<index>[0-9]{1,5})(?:/[\w.:-]{1,60})?", exact_case=True)
_BUILD: Final = pattern(r"(?P<of>cuda|rocm)[ ](?P<version>[0-9]{1,3}(?:\.[0-9]{1,4}){0,3})", exact_case=True)
_KINDS: Final[Mapping[str, Kind]] = {"gpu": "gpu", "npu": "npu", "tpu": "tpu", "cpu": "cpu"}
_WORDS: Final = pattern(r"[\w ,./()+-]{1,80}", exact_case=True)  # of a measure, a product
_RATES: Final = {"operations/s": "OPS", "bytes/s": "B/s"}
_PREFIXES: Final = ((1e15, "P"), (1e12, "T"), (1e9, "G"))


def snapshot_of(bench: Bench, name: str, device_types: Mapping[str, type[Device]], *, alone: bool = True) -> Snapshot:
    """Return what a benchmark shows about the machine. A device without a backend is left out, with a gap.

    alone  whether this is the only source: other sources may be about another Python than the one that measured
    """
    gaps: list[Gap] = []
    devices: list[Device] = []
    for told in bench.devices:
        mine = [one for one in bench.measures if one.device == told.id]
        device = _device(told, mine, device_types)
        if any(one.id == told.id for one in devices):
            gaps.append(Gap(fact=f"device {told.id}", reason="it is listed twice; the first was read", source=name))
        elif device is None or device.backend not in device_types:
            reason = "no backend of this accel has such a device; its figures were not read"
            gaps.append(Gap(fact=f"device {printable(told.id)[:80]}", reason=reason, source=name))
        else:
            devices.append(device)
    held = {device.id for device in devices}
    known = {told.id: told for told in bench.devices if told.id in held}
    strangers = {one.device for one in bench.measures} - {told.id for told in bench.devices}
    for stranger in sorted(strangers)[:4]:
        reason = "it is not among the benchmark's devices; its figures were not read"
        gaps.append(Gap(fact=f"device {printable(stranger)[:80]}", reason=reason, source=name))
    through = bench.frameworks[0].name if len(bench.frameworks) == 1 else None
    return Snapshot(
        taken_at=bench.started,
        origin=name,
        environments=tuple(_environment(bench)) if alone else (),
        observations=tuple(
            _rate(one, known[one.device], bench.started, through) for one in bench.measures if _counts(one, known)
        ),
        reports=tuple(_reports(devices, known)),
        gaps=tuple(gaps),
    )


def judged_with(snapshot: Snapshot, bench: Bench, name: str) -> Snapshot:
    """Return a snapshot with the measurements of its own devices: those with the same id, backend and name."""
    own = {device.id: type(device) for device in snapshot.devices}
    names = {device.id: device.name for device in snapshot.devices}
    same = tuple(told for told in bench.devices if told.id in own and told.name in (None, names[told.id]))
    types = {told.id.partition(":")[0]: own[told.id] for told in same}
    measured = snapshot_of(replace(bench, devices=same), name, types, alone=False)
    return replace(snapshot, observations=(*snapshot.observations, *measured.observations))


def _counts(one: Measure, known: Mapping[str, Benched]) -> bool:
    known_as = _WORDS.fullmatch(one.name) is not None and all(_DEVICE.fullmatch(other) for other in one.others)
    return known_as and one.state == "measured" and one.value is not None and one.device in known


def _device(told: Benched, measures: Sequence[Measure], types: Mapping[str, type[Device]]) -> Device | None:
    hit = _DEVICE.fullmatch(told.id)
    if hit is None:
        return None
    kind = types.get(hit["backend"], Device)
    extra: dict[str, Any] = (
        {"power_default_watts": told.power_default_watts} if "power_default_watts" in field_names(kind) else {}
    )
    device = kind(
        id=told.id,
        index=int(hit["index"]),
        backend=hit["backend"],
        vendor=hit["backend"],
        kind=_KINDS.get(told.kind, "accelerator"),
        name=told.name or told.product,
        architecture=told.architecture,
        driver_version=told.driver_version,
        power_limit_watts=told.power_limit_watts,
        parent=told.id.partition("/")[0] if "/" in told.id else None,
        **extra,
    )
    return with_readings(device, _readings(device.id, _under_load(measures)))


def _under_load(measures: Sequence[Measure]) -> Conditions:
    """Return the readings taken during the measure that was furthest below its peak; empty ones if there is none."""
    read = [one for one in measures if one.conditions is not None and one.share is not None and one.kind != "transfer"]
    slowest = min(read, key=lambda one: one.share or 0.0, default=None)
    return slowest.conditions or Conditions() if slowest is not None else Conditions()


def _readings(device: str, seen: Conditions) -> Readings:
    reasons = seen.clock_event_reasons
    return Readings(
        id=device,
        temperature_celsius=seen.temperature_celsius.high if seen.temperature_celsius else None,
        power_watts=seen.power_watts.median if seen.power_watts else None,
        power_limit_watts=seen.power_limit_watts,
        clock_mhz=round(seen.clock_mhz.median) if seen.clock_mhz else None,
        clock_event_reasons=None if reasons is None else tuple(one for one, part in reasons.items() if part >= _SEEN),
    )


def _reports(devices: Sequence[Device], known: Mapping[str, Benched]) -> Iterator[Report]:
    for backend in dict.fromkeys(device.backend for device in devices):
        mine = tuple(device for device in devices if device.backend == backend)
        version = next((told for device in mine if (told := known[device.id].driver_version)), None)
        driver = Driver(version=version) if version else None
        yield Report(backend=backend, source=SOURCE, status="partial", trust=_TRUST, driver=driver, devices=mine)


def _environment(bench: Bench) -> Iterator[Environment]:
    """Yield the frameworks that measured, with the targets they were built for."""
    found = []
    for one in bench.frameworks:
        version, _, variant = one.version.partition("+")
        framework = Framework(name=one.name, version=version, variant=variant or None)
        build = _BUILD.fullmatch(one.build)
        if build is not None:
            version_of: dict[str, Any] = {f"{build['of']}_version": build["version"]}
            framework = replace(framework, built_for=build["of"], **version_of)
        found.append(framework)
    if found:
        yield Environment(source=SOURCE, grade="measured", frameworks=tuple(found))


def _rate(one: Measure, device: Benched, started: str, through: str | None) -> Noted:
    assert one.value is not None
    share = one.value / one.peak if one.peak and one.unit != "s" else None  # do not trust the file's own share
    part = f", {100 * share:.0f} % of its peak" if share is not None else ""
    why = " ".join(by.text for by in one.limited_by)
    text = f"{one.name} on {one.device}: {_amount(one.value, one.unit)}{part}. {why}"
    seen = one.conditions or Conditions()
    return noted(
        "measured-rate",
        printable(text),
        SOURCE,
        of=one.device,
        measure=one.name,
        measured=one.kind,
        through=through,
        dtype=one.name.removeprefix("matmul ") if one.kind == "matmul" else None,
        product=device.product if _WORDS.fullmatch(device.product or "") else None,
        whole=None if device.scale_reason else "yes",
        other=", ".join(one.others),
        unit=one.unit,
        value=f"{one.value:.6g}",
        peak=f"{one.peak:.6g}" if one.peak else None,
        share=f"{share:.4f}" if share is not None else None,
        limited_by=" ".join(dict.fromkeys(by.cause for by in one.limited_by)),
        limit_watts=_whole(seen.power_limit_watts or device.power_limit_watts),
        celsius=_whole(seen.temperature_celsius.high if seen.temperature_celsius else None),
        clock_mhz=_whole(seen.clock_mhz.median if seen.clock_mhz else None),
        started=started,
    )


def _amount(value: float, unit: str) -> str:
    size, prefix = next(((size, prefix) for size, prefix in _PREFIXES if value >= size), (1.0, ""))
    return f"{value / size:.3g} {prefix}{_RATES.get(unit, unit)}"


def _whole(value: float | None) -> str | None:
    return None if value is None else f"{value:.0f}"
