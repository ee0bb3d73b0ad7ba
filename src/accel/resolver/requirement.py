"""What a library needs of the machine, and the sentence that says what it lacks."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, get_args

from accel.model.dataclass import dataclass
from accel.model.device import Device, Kind
from accel.model.errors import BadInput, RequirementUnmet

if TYPE_CHECKING:
    from accel.model.diagnosis import Diagnosis
    from accel.specs import Specs


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """See `accel.require`. None: not asked for."""

    vendor: str | None = None
    kind: str | None = None
    count: int = 1
    memory_bytes: int | None = None
    compute_capability: str | None = None
    dtype: str | None = None


def check_names(wanted: Requirement, vendors: Sequence[str], call: str = "require") -> None:
    """Raise BadInput, with what is known, for a vendor, kind, dtype or count that cannot be meant."""
    asked: tuple[tuple[str, str | None, Sequence[str]], ...] = (
        ("vendor", wanted.vendor, vendors),
        ("kind", wanted.kind, get_args(Kind)),
    )
    for field, value, known in asked:
        if value is not None and value.lower() not in known:
            raise BadInput(f"{call}({field}={value!r}): no such {field} is known. Known are: {', '.join(known)}.")
    if wanted.dtype is not None:
        _check_dtype(wanted.dtype, call)
    if wanted.count < 1:
        raise BadInput(f"require(count={wanted.count}): ask for one device at least.")


def _check_dtype(dtype: str, call: str) -> None:
    from accel.specs import load
    from accel.specs.number_formats import format_named, nearest_formats

    try:
        format_named(load(), dtype)
    except BadInput:
        near = nearest_formats(load(), dtype)
        raise BadInput(f"{call}(dtype={dtype!r}): no such dtype is known. {near}") from None


def check_requirement(
    wanted: Requirement,
    devices: Sequence[Device],
    specs: "Callable[[], Specs]",
    diagnose: "Callable[[], Diagnosis]",
) -> tuple[Device, ...]:
    """Return the devices that meet it, or raise RequirementUnmet with the reason for each that does not."""
    misses = {device.id: tuple(_misses(wanted, device, specs)) for device in devices}
    fit = tuple(device for device in devices if not misses[device.id])
    if len(fit) >= wanted.count:
        return fit
    diagnosis = diagnose()
    reasons = [f"  {id_}: {'; '.join(why)}" for id_, why in misses.items() if why]
    broken = [f"  {f.code} {f.title}" for f in diagnosis.findings if f.is_cause]
    lines = [f"Asked for {_asked(wanted)}: {len(fit)} of the {len(devices)} accelerators here will do."]
    lines += reasons
    lines += ["What is broken first:", *broken[:3]] if broken else []
    lines += ["See  accel doctor"]
    raise RequirementUnmet("\n".join(lines), diagnosis)


def _asked(wanted: Requirement) -> str:
    """Return what was asked for: "2 nvidia gpus, each with 16.0 GiB, compute capability 8.0, bf16"."""
    kind = wanted.kind or "accelerator"
    what = " ".join(
        part for part in (str(wanted.count), wanted.vendor, kind if wanted.count == 1 else f"{kind}s") if part
    )
    size = None if wanted.memory_bytes is None else f"{wanted.memory_bytes / 2**30:.1f} GiB"
    capability = wanted.compute_capability and f"compute capability {wanted.compute_capability}"
    each = [part for part in (size, capability, wanted.dtype) if part]
    return f"{what}, {'each ' if wanted.count > 1 else ''}with {', '.join(each)}" if each else what


def _misses(wanted: Requirement, device: Device, specs: "Callable[[], Specs]") -> Iterable[str]:
    if wanted.vendor and wanted.vendor.lower() not in (device.backend.lower(), device.vendor.lower()):
        yield f"it is of {device.vendor}, not {wanted.vendor}"
    if wanted.kind and device.kind != wanted.kind:
        yield f"it is a {device.kind}, not a {wanted.kind}"
    if device.visible is False:
        yield "a visibility variable hides it"
    if device.health == "critical":
        yield "its health is critical"
    if wanted.memory_bytes is not None:
        if device.memory_total_bytes is None:
            yield "its memory size is not known"
        elif device.memory_total_bytes < wanted.memory_bytes:
            yield f"it has {device.memory_total_bytes / 2**30:.1f} GiB, {wanted.memory_bytes / 2**30:.1f} wanted"
    if wanted.compute_capability is not None:
        yield from capability_misses(wanted.compute_capability, device.compute_capability)
    if wanted.dtype is not None:
        yield from dtype_misses(wanted.dtype, device, specs())


def capability_misses(wanted: str, given: str | None) -> Iterable[str]:
    """Yield why a device is not as capable as wanted."""
    if given is None:
        yield "its compute capability is not known"
    elif _numbers(given) is None or _numbers(wanted) is None:
        if given != wanted:
            yield f"its target is {given}, not {wanted}"
    elif (_numbers(given) or ()) < (_numbers(wanted) or ()):
        yield f"its compute capability is {given}, {wanted} wanted"


def _numbers(capability: str) -> tuple[int, ...] | None:
    parts = capability.split(".")
    return tuple(int(p) for p in parts) if all(p.isdecimal() for p in parts) else None


def dtype_misses(dtype: str, device: Device, specs: "Specs") -> Iterable[str]:
    """Yield why a device does not compute in a format, as `accel.supports` has it."""
    from accel.specs.number_formats import computers, computes, format_named

    asked = computers(specs, device)
    answer = computes(specs, asked, format_named(specs, dtype))
    if answer is None:
        yield f"whether it computes in {dtype} is not known"
    elif not answer:
        yield f"its architecture {device.architecture or asked[0].architecture} does not compute in {dtype}"
