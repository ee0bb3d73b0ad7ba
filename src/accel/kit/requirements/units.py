"""Amounts are in the unit of the field's name; if not, the fault guesses the unit that was meant."""

from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, unless, wants
from accel.model.device import Device, Memory

_MIB, _TIB = 1 << 20, 1 << 40
_MOST_BYTES = 64 * _TIB
_MOST_WATTS = 5000.0
_MOST_CELSIUS = 150.0
_ROOM_KELVIN = (250.0, 400.0)  # between -23 and 127 °C
_READINGS = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "temperature_celsius", "power_watts",
             "power_limit_watts", "utilization_percent")  # fmt: skip


@rule("units", "discover", "Its amounts are in the units that the fields' names say")
def units(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    listed = seen = 0
    shares: list[float] = []
    for kit_run in evidence.kit_runs:
        devices = [d for report in kit_run.reports() for d in report.devices if isinstance(d, Device)]
        sampled = kit_run.answer("sample")
        if sampled and isinstance(sampled.value, tuple):
            devices += [d for d in sampled.value if isinstance(d, Device)]
        listed += len(devices)
        for device in devices:
            seen += any(getattr(device, name) is not None for name in _READINGS)
            yield from _of_device(device)
            if _number(device.utilization_percent):
                shares.append(float(device.utilization_percent or 0))
        for answer in kit_run.answers:
            if answer.method == "memory" and isinstance(answer.value, Memory):
                yield from _of_memory(
                    answer.call.removeprefix("memory of "), answer.value.total_bytes, answer.value.used_bytes
                )
    if shares and any(0 < share < 1 for share in shares) and max(shares) <= 1:
        yield fault("share-unit", most=max(shares))
    wants(listed, "it gave no device: record a machine that has one, see docs/conformance.md")
    unless(seen, "it gives no amount")


def _of_device(device: Device) -> Iterator[Fault]:
    yield from _of_memory(device.id, device.memory_total_bytes, device.memory_used_bytes)
    free = device.memory_free_bytes
    if _number(free) and _number(device.memory_total_bytes) and (free or 0) > (device.memory_total_bytes or 0):
        yield fault("free-above-total", device=device, free=free)
    yield from _of_heat(device)
    for name in ("power_watts", "power_limit_watts"):
        watts = getattr(device, name)
        if _number(watts) and watts > _MOST_WATTS:
            meant = "mW; divide by 1000" if watts < 5e6 else "µW; divide by 1000000"
            yield fault("watts-unit", name=name, device=device, watts=watts, meant=meant)
        elif _number(watts) and watts < 0:
            yield fault("negative-watts", name=name, device=device, watts=watts)
    share = device.utilization_percent
    if _number(share) and not 0 <= (share or 0) <= 100:
        yield fault("percentage-range", device=device, share=share)


def _of_memory(whose: str, total: object, used: object) -> Iterator[Fault]:
    if isinstance(total, int) and 0 < total < _MIB:
        guess = "MiB; multiply by 2**20" if total >= 256 else "GiB; multiply by 2**30"
        yield fault("memory-unit", whose=whose, total=total, guess=guess)
    elif isinstance(total, int) and total > _MOST_BYTES:
        yield fault("memory-unit-twice", whose=whose, tebibytes=total / _TIB)
    elif isinstance(total, int) and total < 0:
        yield fault("negative-memory", whose=whose, total=total)
    if isinstance(total, int) and isinstance(used, int) and used > total > 0:
        yield fault("used-above-total", whose=whose, used=used, total=total)
    elif isinstance(total, int) and isinstance(used, int) and total >= 1 << 30 and 0 < used < 1 << 17:
        yield fault("used-unit", whose=whose, used=used, total=total)


def _of_heat(device: Device) -> Iterator[Fault]:
    heat = device.temperature_celsius
    if not _number(heat) or heat is None:
        return
    if heat >= 1000:
        meant = "millidegrees; divide by 1000"
    elif _ROOM_KELVIN[0] <= heat <= _ROOM_KELVIN[1]:
        meant = "kelvin; subtract 273.15"
    elif heat > _MOST_CELSIUS:
        meant = "another unit than degrees Celsius (Fahrenheit, tenths?)"
    elif heat < -50:
        meant = "a code for 'not known'; give None"
    else:
        return
    yield fault("heat-unit", device=device, heat=heat, meant=meant)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
