"""What a library requires of the machine, and the sentences that say what is missing."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, get_args

from accel.model.dataclass import dataclass
from accel.model.device import Device, Kind
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.environment import Environment
from accel.model.errors import BadInput, RequirementUnmet
from accel.resolver.builds_here import Build, build_misses, is_within
from accel.specs import Specs

_GIB: Final = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """The arguments of `accel.require`. None and (): not required.

    vendors        any of these; dtypes, frameworks: all of these
    driver         version bounds: ">=550"
    link           a kind of link that must connect every pair of devices: "nvlink"
    memlock_bytes  -1: no limit
    """

    vendors: tuple[str, ...] = ()
    kind: str | None = None
    count: int = 1
    memory_bytes: int | None = None
    compute_capability: str | None = None
    dtypes: tuple[str, ...] = ()
    driver: str | None = None
    link: str | None = None
    frameworks: tuple[Build, ...] = ()
    shm_bytes: int | None = None
    memlock_bytes: int | None = None


class Asked(Protocol):
    """Access to the machine; only facts that a requirement needs are read."""

    def devices(self) -> Sequence[Device]:
        """Return the accelerators."""
        ...

    def specs(self) -> Specs: ...

    def diagnosis(self) -> Diagnosis: ...

    def environment(self) -> Environment: ...

    def joined(self, devices: Sequence[Device]) -> Callable[[Device, Device], str | None]:
        """Return a function that gives the kind of link between two of the devices; None if unknown."""
        ...

    def shm_bytes(self) -> int | None:
        """Return the size of /dev/shm; None if unknown."""
        ...

    def memlock_bytes(self) -> int | None:
        """Return how many bytes this process may lock, -1 for no limit; None if unknown."""
        ...


def check_names(
    call: str,
    specs: Callable[[], Specs],
    known_vendors: Sequence[str],
    *,
    vendors: Iterable[str] = (),
    kind: str | None = None,
    dtypes: Iterable[str] = (),
) -> None:
    """Raise BadInput, with the known values, for an unknown vendor, kind or dtype."""
    for vendor in vendors:
        _check_word(call, "vendor", vendor, known_vendors)
    if kind is not None:
        _check_word(call, "kind", kind, get_args(Kind))
    for dtype in dtypes:
        from accel.specs.number_formats import format_named, nearest_formats

        try:
            format_named(specs(), dtype)
        except BadInput:
            near = nearest_formats(specs(), dtype)
            raise BadInput(f"{call}(dtype={dtype!r}): no such dtype is known. {near}") from None


def _check_word(call: str, field: str, value: str, known: Sequence[str]) -> None:
    from difflib import get_close_matches

    if value.lower() not in known:
        near = get_close_matches(value.lower(), known, 1, 0.6)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise BadInput(f"{call}({field}={value!r}): no such {field} is known.{meant} Known: {', '.join(known)}.")


def check_requirement(alternatives: Sequence[Requirement], asked: Asked) -> tuple[Device, ...]:
    """Return the devices that meet the first alternative that is met.

    Raises RequirementUnmet, with the reasons for each device and the machine, if none is.
    """
    devices = asked.devices()
    told: list[tuple[str, dict[str, str]]] = []
    for wanted in alternatives:
        fit, reasons = _checked(wanted, devices, asked)
        if not reasons or (len(fit) >= wanted.count and not any(name in _OF_THE_MACHINE for name in reasons)):
            return fit
        told.append((_sentence(wanted, fit, devices), reasons))
    diagnosis = asked.diagnosis()
    lines: list[str] = []
    for sentence, reasons in told:
        lines.append(f"{'Or requires' if lines else 'Requires'} {sentence}")
        lines += [f"  {name}: {why}" for name, why in reasons.items() if name != "count"]
    reasons = {name: why for _, found in reversed(told) for name, why in found.items()}
    cause = _cause(diagnosis, {name for name in reasons if name not in _OF_THE_MACHINE}, none=not devices)
    if cause is not None:
        lines += ["What is broken first:", f"  {cause.code} {cause.title}", *_first_remedy(cause)]
    lines.append("Try  accel doctor")
    raise RequirementUnmet("\n".join(lines), diagnosis, reasons)


_OF_THE_MACHINE: Final = frozenset({"shm", "memlock", "links", "frameworks", "count"})


def _checked(wanted: Requirement, devices: Sequence[Device], asked: Asked) -> tuple[tuple[Device, ...], dict[str, str]]:
    """Return the devices that meet the requirement, and why the other devices or the machine do not."""
    reasons = {device.id: why for device in devices if (why := "; ".join(_misses(wanted, device, asked.specs)))}
    fit = tuple(device for device in devices if device.id not in reasons)
    if wanted.link is not None and len(fit) >= wanted.count:
        joined = _joined(fit, wanted.link, asked.joined(fit))
        if len(joined) < wanted.count:
            most = f"at most {len(joined)} of them are" if len(joined) > 1 else "no two of them are"
            reasons["links"] = f"{most} connected by {wanted.link}, each to each"
        fit = joined
    if len(fit) < wanted.count:
        reasons.setdefault(
            "count", f"{len(fit)} of the {len(devices)} accelerators here will do, {wanted.count} needed"
        )
    reasons |= dict(_misses_of_machine(wanted, asked))
    return fit, reasons


def _joined(devices: Sequence[Device], link: str, kind: Callable[[Device, Device], str | None]) -> tuple[Device, ...]:
    """Return the largest set found of devices that are all connected to each other."""
    best: tuple[Device, ...] = ()
    for first in devices:
        together = [first]
        for other in devices:
            if other is not first and all(kind(one, other) == link for one in together):
                together.append(other)
        best = max(best, tuple(together), key=len)
    return tuple(device for device in devices if device in best)


def _misses_of_machine(wanted: Requirement, asked: Asked) -> Iterable[tuple[str, str]]:
    if wanted.shm_bytes is not None:
        size = asked.shm_bytes()
        if size is None or size < wanted.shm_bytes:
            here = "its size is not known" if size is None else f"it has {size / _GIB:.1f} GiB"
            yield "shm", f"/dev/shm: {here}, {wanted.shm_bytes / _GIB:.1f} GiB needed"
    if wanted.memlock_bytes is not None:
        most = asked.memlock_bytes()
        if most is None or (most != -1 and (most < wanted.memlock_bytes or wanted.memlock_bytes == -1)):
            here = "the locked-memory limit is unknown" if most is None else f"{most} bytes may be locked"
            least = "no limit" if wanted.memlock_bytes == -1 else f"{wanted.memlock_bytes} bytes"
            yield "memlock", f"{here}, {least} needed"
    if wanted.frameworks:
        misses = [why for build in wanted.frameworks for why in build_misses(build, asked.environment())]
        if misses:
            yield "frameworks", "; ".join(misses)


def _cause(diagnosis: Diagnosis, concerned: set[str], none: bool) -> Finding | None:
    """Return the first fault that can be the reason: an error of the machine, or of a device that does not qualify.

    none  there is no device at all: any error may be the reason, as may any problem with hardware or driver
    """
    for finding in diagnosis.findings:
        if none and (finding.severity == "error" or finding.layer in ("hardware", "driver")):
            return finding
        if finding.is_cause and concerned.intersection(finding.devices):
            return finding
        if finding.is_cause and not finding.devices and finding.severity == "error":
            return finding
    return None


def _first_remedy(finding: Finding) -> list[str]:
    return [f"  {one.text}{f'  {one.command}' if one.command else ''}" for one in finding.remedies[:1]]


def _sentence(wanted: Requirement, fit: Sequence[Device], devices: Sequence[Device]) -> str:
    will = (
        "none will do"
        if len(devices) == 1 and not fit
        else f"{len(fit)} of the {len(devices)} accelerators here will do"
    )
    return f"{described(wanted)}: {will}."


def described(wanted: Requirement) -> str:
    """Return the requirement in words: "2 nvidia gpus, each with 16.0 GiB, compute capability 8.0, bf16"."""
    kind = wanted.kind or "accelerator"
    vendors = " or ".join(wanted.vendors)
    what = " ".join(part for part in (str(wanted.count), vendors, kind if wanted.count == 1 else f"{kind}s") if part)
    size = None if wanted.memory_bytes is None else f"{wanted.memory_bytes / _GIB:.1f} GiB"
    capability = wanted.compute_capability and f"compute capability {wanted.compute_capability}"
    driver = wanted.driver and f"driver {wanted.driver}"
    each = [part for part in (size, capability, *wanted.dtypes, driver) if part]
    more = [f"joined by {wanted.link}"] if wanted.link else []
    more += [f"{one.name}{one.version or ''}{f' ({one.build})' if one.build else ''}" for one in wanted.frameworks]
    more += ["room in /dev/shm"] if wanted.shm_bytes is not None else []
    more += ["locked memory"] if wanted.memlock_bytes is not None else []
    shown = f"{what}, {'each ' if wanted.count > 1 else ''}with {', '.join(each)}" if each else what
    return f"{shown}, and {', '.join(more)}" if more else shown


def _misses(wanted: Requirement, device: Device, specs: Callable[[], Specs]) -> Iterable[str]:
    names = (device.backend.lower(), device.vendor.lower())
    if wanted.vendors and not any(vendor.lower() in names for vendor in wanted.vendors):
        yield f"it is from {device.vendor}, not {' or '.join(wanted.vendors)}"
    if wanted.kind and device.kind != wanted.kind.lower():
        yield f"it is a {device.kind}, not a {wanted.kind}"
    if device.visible is False:
        yield "a visibility variable hides it"
    if device.health == "critical":
        yield "its health is critical"
    if wanted.memory_bytes is not None:
        if device.memory_total_bytes is None:
            yield "its memory size is not known"
        elif device.memory_total_bytes < wanted.memory_bytes:
            yield f"it has {device.memory_total_bytes / _GIB:.1f} GiB, {wanted.memory_bytes / _GIB:.1f} needed"
    if wanted.compute_capability is not None:
        yield from capability_misses(wanted.compute_capability, device.compute_capability)
    for dtype in wanted.dtypes:
        yield from dtype_misses(dtype, device, specs())
    if wanted.driver is not None:
        yield from _driver_misses(wanted.driver, device.driver_version)


def _driver_misses(wanted: str, given: str | None) -> Iterable[str]:
    if given is None:
        yield "its driver's version is not known"
    elif not is_within(given, wanted):
        yield f"its driver is {given}, {wanted} needed"


def capability_misses(wanted: str, given: str | None) -> Iterable[str]:
    """Yield why a device's capability is insufficient."""
    if given is None:
        yield "its compute capability is not known"
    elif _numbers(given) is None or _numbers(wanted) is None:
        if given != wanted:
            yield f"its target is {given}, not {wanted}"
    elif (_numbers(given) or ()) < (_numbers(wanted) or ()):
        yield f"its compute capability is {given}, {wanted} needed"


def _numbers(capability: str) -> tuple[int, ...] | None:
    parts = capability.split(".")
    return tuple(int(p) for p in parts) if all(p.isdecimal() for p in parts) else None


def dtype_misses(dtype: str, device: Device, specs: Specs) -> Iterable[str]:
    """Yield why a device does not compute in a format, as judged by `accel.supports`."""
    from accel.specs.number_formats import computers, computes, format_named

    asked = computers(specs, device)
    answer = computes(specs, asked, format_named(specs, dtype))
    if answer is None:
        yield f"whether it computes in {dtype} is not known"
    elif not answer:
        yield f"its architecture {device.architecture or asked[0].architecture} does not support {dtype}"
