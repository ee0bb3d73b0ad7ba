"""Compares two benchmarks of the same devices: what became slower or faster by more than the noise."""

from typing import Final, Literal

from accel.measure.bench.records import Bench, Measure
from accel.model.dataclass import dataclass

_LEAST: Final = 0.03  # of the older figure: normal day-to-day variation of a machine
_SPREADS: Final = 1.0  # multiple of both runs' spreads together

Change = Literal["slower", "faster", "same", "gone", "new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A measure in two benchmarks.

    ratio  the newer rate divided by the older one, inverted for latencies: above 1 is faster
    noise  the fraction by which they may differ by chance: both spreads, at least 3 %
    change "slower" or "faster" beyond the noise; "gone" or "new" if only one of the two has a figure
    """

    name: str
    device: str
    others: tuple[str, ...]
    change: Change
    older: float | None
    newer: float | None
    ratio: float | None
    noise: float | None
    unit: str


def compared(older: Bench, newer: Bench) -> tuple[Difference, ...]:
    """Return each measure that is in either benchmark, in the newer one's order."""
    before = {one.key: one for one in older.measures}
    after = {one.key: one for one in newer.measures}
    return tuple(_difference(before.get(key), after.get(key)) for key in {**after, **before})


def _difference(older: Measure | None, newer: Measure | None) -> Difference:
    either = newer or older
    assert either is not None
    then, now = older.value if older else None, newer.value if newer else None
    change: Change = "same"
    ratio = noise = None
    if not then or not now:
        change = "gone" if then else "new" if now else "same"
    else:
        assert older is not None
        assert newer is not None
        ratio = then / now if either.unit == "s" else now / then
        noise = max(_LEAST, _SPREADS * ((older.spread or 0.0) + (newer.spread or 0.0)))
        change = "slower" if ratio < 1 - noise else "faster" if ratio > 1 + noise else "same"
    return Difference(
        name=either.name,
        device=either.device,
        others=either.others,
        change=change,
        older=then,
        newer=now,
        ratio=ratio,
        noise=noise,
        unit=either.unit,
    )


def unlike(older: Bench, newer: Bench) -> tuple[str, ...]:
    """Return other differences, one sentence each: they may explain differences in the figures."""
    said = []
    then = {one.id: one for one in older.devices}
    for device in newer.devices:
        before = then.get(device.id)
        if before is None:
            continue
        for what, old, new in (
            ("product", before.name, device.name),
            ("driver", before.driver_version, device.driver_version),
            ("power limit", before.power_limit_watts, device.power_limit_watts),
        ):
            if old != new and old is not None and new is not None:
                said.append(f"{device.id}: the {what} was {old}, and is {new}.")
    versions = {one.name: f"{one.version}, {one.build}" for one in older.frameworks}
    names = {one.name for one in newer.frameworks}
    if versions.keys() != names:
        through = [" and ".join(sorted(each)) or "no framework" for each in (versions, names)]
        said.append(f"It was measured through {through[0]}, and is through {through[1]}.")
    for framework in newer.frameworks:
        old_version, new_version = versions.get(framework.name), f"{framework.version}, {framework.build}"
        if old_version is not None and old_version != new_version:
            said.append(f"{framework.name} was {old_version}, and is {new_version}.")
    if older.quick != newer.quick:
        said.append("One of the two was made with --quick, whose runs are shorter.")
    return tuple(said)
