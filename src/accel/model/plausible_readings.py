"""Removes implausible readings, tick by tick; they become unknown, with a gap that quotes them."""

from functools import cache
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.plausible import MEMORY_PARTS, number_range, said_of
from accel.model.readings import MEASURED, Readings

_SHARES: Final = ("busy", "saturated", "tensor", "memory_busy", "memory_bandwidth", "encoder", "decoder")  # of a whole


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
