"""What limited a measure, according to accel's readings: each a sentence with the two figures that show it."""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.measure.bench.records import Conditions, Limit, Measure
from accel.model.dataclass import dataclass
from accel.model.device import Device

_ENOUGH: Final = 0.95  # fraction of the peak above which no limit is searched for
_SEEN: Final = 0.2  # of the samples
_AT_THE_LIMIT: Final = 0.97  # fraction of the power limit
_SLOW_CLOCK: Final = 0.9  # fraction of the maximum
_BUSY: Final = 10.0  # percent, before the benchmark started
_HELD: Final = 0.1  # of the memory
_OTHERS: Final = 0.1  # of the CPUs
_STOLEN: Final = 0.02
_POWER: Final = ("power", "sw-power", "hw-power", "current", "ppm")
_SET: Final = ("applications-clocks", "sync-boost", "display-clocks")
_ON_PROCESSORS: Final = ("matmul", "memory", "collective", "launch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about a device in addition to the samples.

    before      its record before the benchmark started; sheet_watts: of its product
    target, built_for  according to the framework, of the device and of its kernels: "sm_120", ("sm_80", "sm_90")
    threads, cpus      that the framework uses, and that exist
    """

    before: Device
    sheet_watts: float | None = None
    target: str | None = None
    built_for: tuple[str, ...] | None = None
    framework: str | None = None
    threads: int | None = None
    cpus: int | None = None


def limits_of(measure: Measure, facts: Facts) -> tuple[Limit, ...]:
    """Return what limited a measure, most likely first; () if nothing is known."""
    if measure.share is not None and measure.share >= _ENOUGH:
        return ()
    seen = measure.conditions or Conditions()
    if facts.before.kind == "cpu":
        return tuple(_of_processors(measure, seen, facts)) if measure.kind in _ON_PROCESSORS else ()
    found = [*_missing_kernels(measure, facts), *_others(measure, facts)]
    if measure.kind == "transfer":
        return (*found, *_pcie(facts.before))
    if measure.kind in ("matmul", "memory", "collective"):
        found += _clocks(seen, facts)
    return tuple(found)


def _clocks(seen: Conditions, facts: Facts) -> Iterator[Limit]:
    reasons = {name for name, share in (seen.clock_event_reasons or {}).items() if share >= _SEEN}
    words = ", ".join(sorted(reasons))
    highest = getattr(facts.before, "clock_sm_max_mhz", None)
    clock = _clock_text(seen, highest)
    drawn, allowed = seen.power_watts, seen.power_limit_watts or facts.before.power_limit_watts
    at_limit = drawn is not None and allowed is not None and drawn.median >= _AT_THE_LIMIT * allowed
    if at_limit or any(name.startswith(_POWER) for name in reasons):
        draws = f"it drew {drawn.median:.0f} W" if drawn else f"the driver reports {words}"
        most = f" of {allowed:.0f} W allowed" if drawn and allowed else ""
        sheet = facts.sheet_watts
        capped = f" (its product has {sheet:.0f} W)" if sheet and allowed and allowed < _AT_THE_LIMIT * sheet else ""
        yield Limit(cause="power", text=f"Power: {draws}{most}{capped}{clock}.")
    hot = {name for name in reasons if "thermal" in name}
    if hot:
        heat = f" at {seen.temperature_celsius.high:.0f} °C" if seen.temperature_celsius else ""
        yield Limit(cause="heat", text=f"Heat: the driver slowed it down{heat} ({', '.join(sorted(hot))}){clock}.")
    held = {name for name in reasons if name in _SET or name.startswith("hw-slowdown")}
    if held:
        yield Limit(cause="clock", text=f"Clock: it was limited by {', '.join(sorted(held))}{clock}.")
    slow = seen.clock_mhz is not None and highest and seen.clock_mhz.median < _SLOW_CLOCK * highest
    if slow and not (at_limit or reasons):
        yield Limit(cause="clock", text=f"Clock: the driver names no reason{clock}.")


def _clock_text(seen: Conditions, highest: int | None) -> str:
    if seen.clock_mhz is None:
        return ""
    most = f" of {highest:,} MHz" if highest else ""
    return f"; its clock was at {seen.clock_mhz.median:,.0f} MHz{most}"


def _pcie(device: Device) -> Iterator[Limit]:
    width, widest = (getattr(device, f"pcie_width_{which}", None) for which in ("current", "maximum"))
    if width and widest and width < widest:
        yield Limit(cause="link", text=f"PCIe: the link has {width} of {widest} lanes. Try  accel topology")
    slot = getattr(device, "pcie_generation_maximum", None)
    own = getattr(device, "pcie_generation_device_maximum", None)
    if slot and own and slot < own:
        yield Limit(cause="link", text=f"PCIe: the slot gives generation {slot}, the device has {own}.")


def _others(measure: Measure, facts: Facts) -> Iterator[Limit]:
    device = facts.before
    if device.utilization_percent is not None and device.utilization_percent >= _BUSY:
        busy = f"it was {device.utilization_percent:.0f} % busy before the benchmark began"
        yield Limit(cause="others", text=f"Others: {busy}. Who uses it:  accel ps")
    used, total = device.memory_used_bytes, device.memory_total_bytes
    if measure.extra.get("capped") and used and total and used >= _HELD * total:
        held = f"the arrays are small, because others use {used / 2**30:.1f} of its {total / 2**30:.1f} GiB"
        yield Limit(cause="memory", text=f"Memory: {held}. Who uses it:  accel ps")


def _missing_kernels(measure: Measure, facts: Facts) -> Iterator[Limit]:
    if measure.kind not in ("matmul", "memory", "launch") or facts.target is None or not facts.built_for:
        return
    if not has_kernels(facts.target, facts.built_for):
        built = ", ".join(facts.built_for)
        text = f"Build: this {facts.framework} has no kernels for {facts.target}, only for {built}."
        yield Limit(cause="build", text=f"{text} A build that has them:  accel resolve {facts.framework}")


def has_kernels(target: str, built_for: Sequence[str]) -> bool:
    """Return whether a build has machine code for a target.

    Code for "sm_80" runs on sm_86, but gfx code only on its own target.

    >>> has_kernels("sm_86", ("sm_80",)), has_kernels("sm_120", ("sm_90", "compute_90"))
    (True, False)
    """
    if target in built_for:
        return True
    number = _number(target)
    if number is None:
        return False
    known = [one for name in built_for if (one := _number(name)) is not None]
    return any(one // 10 == number // 10 and one <= number for one in known)


def _number(name: str) -> int | None:
    digits = name.removeprefix("sm_").rstrip("af")  # sm_90a, sm_100f
    return int(digits) if name.startswith("sm_") and digits.isdecimal() and len(digits) < 5 else None


def _of_processors(measure: Measure, seen: Conditions, facts: Facts) -> Iterator[Limit]:
    cpus = facts.cpus
    if cpus and seen.others_cpus is not None and seen.others_cpus >= _OTHERS * cpus:
        text = f"Others: other programs used {seen.others_cpus:.1f} of {cpus} processors meanwhile."
        yield Limit(cause="others", text=text)
    if cpus and seen.stolen_cpus is not None and seen.stolen_cpus >= _STOLEN * cpus:
        text = f"Others: the hypervisor gave {seen.stolen_cpus:.1f} of {cpus} processors to other machines."
        yield Limit(cause="others", text=text)
    share = getattr(facts.before, "cgroup_cpu_limit", None)
    if share and cpus and share < cpus:
        yield Limit(cause="limit", text=f"Control group: it gives {share:g} of {cpus} processors.")
    if facts.threads and cpus and facts.threads < cpus // 2 and measure.kind == "matmul":
        text = f"Threads: {facts.framework} uses {facts.threads} of {cpus} processors (OMP_NUM_THREADS)."
        yield Limit(cause="limit", text=text)
