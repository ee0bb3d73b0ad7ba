"""Queries one backend for readings, through the interface that it offers. It may raise, hang or end the process: the
callers handle that.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.plausible import MEMORY_PARTS, number_range, said_of
from accel.model.readings import MEASURED, Readings, is_blank, readings_of, without_changing, without_readings

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.watching import Wanted
    from accel.watch.sampling.cached_sample import CachedSample


_SHARES: Final = ("busy", "saturated", "tensor", "memory_busy", "memory_bandwidth", "encoder", "decoder")  # of a whole


def asked(
    backend: "Backend",
    machine: "Machine",
    devices: Sequence[Device],
    wanted: "Wanted",
    guest: bool = False,
    kept: "CachedSample | None" = None,
) -> list[Readings]:
    """Return each device's readings, in order. guest: a backend of another distribution, whose answer is validated.

    A backend without `readings` is asked for a sample, which only yields what its record contains.
    kept: caches its samples if they take long.
    """
    if not devices:
        return []
    watch = getattr(backend, "readings", None)
    if watch is not None:
        given: Sequence[Any] = watch(machine, devices, wanted)
    elif hasattr(backend, "sample"):
        wanted.progress.calling("sample")
        given = _sampled(backend, machine, devices, guest, kept)
    else:
        reason = "its plugin takes no samples"
        return [without_readings(d, "failed", (Gap(fact="readings", reason=reason, device=d.id),)) for d in devices]
    found = {one.id: one for one in given if isinstance(one, Readings)}
    if guest:
        found = {name: fit for name, one in found.items() if (fit := checked_readings(one)) is not None}
    return [
        plausible_readings(found[device.id]) if device.id in found else without_readings(device, "gone")
        for device in devices
    ]


def _sampled(
    backend: "Backend", machine: "Machine", devices: Sequence[Device], guest: bool, kept: "CachedSample | None"
) -> Sequence[Readings]:
    def take() -> Sequence[Readings]:
        fresh = backend.sample(machine, [without_changing(device) for device in devices])
        if guest:
            from accel.plugins.validation import validate_device

            checked = (validate_device(device, backend.name)[0] for device in fresh)
            return [readings_of(device) for device in checked if device is not None]
        return [readings_of(device) for device in fresh]

    return take() if kept is None else kept.readings(machine, take)


def checked_readings(readings: Readings) -> Readings | None:
    """Return the readings if every field has the right type, else None."""
    import msgspec

    from accel.model.to_builtins import plain

    try:
        return msgspec.convert(plain(readings), Readings)
    except (msgspec.ValidationError, TypeError, ValueError, RecursionError):
        return None


def answers(readings: Readings) -> bool:
    """Return whether a device answered anything at all."""
    return readings.state == "ok" and not is_blank(readings)


def plausible_readings(readings: Readings) -> Readings:
    """Return one moment's readings without implausible numbers, and with a gap for each."""
    wrong: dict[str, float] = {}
    for name, least, most in _reading_ranges():
        value = getattr(readings, name)
        if value is not None and not least <= value <= most:
            wrong[name] = value
    total = readings.memory_total_bytes
    if total is not None and "memory_total_bytes" not in wrong:
        parts = ((name, getattr(readings, name)) for name in MEMORY_PARTS)
        wrong |= {name: part for name, part in parts if part is not None and part > total}
    if not wrong:
        return readings
    gaps = [Gap(fact=name, reason=said_of("its driver", value), device=readings.id) for name, value in wrong.items()]
    unknown: dict[str, Any] = dict.fromkeys(wrong)
    return replace(readings, **unknown, gaps=(*readings.gaps, *gaps))


@cache
def _reading_ranges() -> tuple[tuple[str, float, float], ...]:
    """Return (reading, smallest, largest). Needed for every device at every tick, so it is computed once."""
    shares = {f"{name}_percent": (0, 100) for name in _SHARES}
    names = (*MEASURED, "memory_total_bytes", "power_limit_watts")
    return tuple((name, *shares.get(name, number_range(name))) for name in names)
