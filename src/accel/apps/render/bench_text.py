"""`accel bench` as text: one line per measurement, a bar relative to the peak, and what limited it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from accel.apps.render.units import plural, rate_text
from accel.apps.render.width import wrapped

if TYPE_CHECKING:
    from accel.measure.bench.compare import Difference
    from accel.measure.bench.records import Bench, Benched, Measure, Unit

_BAR: Final = 18  # width of a bar at 100 % of the peak, in columns
_NAME: Final = 24
_VALUE: Final = 12
_LATENCY: Final = ((1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))
_RATE: Final[dict[str, str]] = {"operations/s": "FLOPS", "bytes/s": "B/s"}
_ENDED: Final = {
    "interrupt": "Interrupted: showing what was measured until then.",
    "deadline": "The deadline ended it: showing what was measured until then.",
}


def bench_lines(bench: "Bench", width: int) -> Iterator[str]:
    """Yield the lines of a benchmark."""
    yield from wrapped(head(bench), width, "    ")
    for device in bench.devices:
        mine = [one for one in bench.measures if one.device == device.id]
        if mine:
            yield ""
            yield from _device(device, mine, width)
    for note in bench.notes:
        yield from wrapped(f"Note: {note}", width, "    ")
    yield from (line for said in _ended(bench) for line in wrapped(said, width, "    "))


def bench_notes(bench: "Bench") -> tuple[str, ...]:
    """Return the notes needed to interpret the figures."""
    return (*bench.notes, *_ended(bench))


def _ended(bench: "Bench") -> Iterator[str]:
    if bench.ended_by is not None:
        yield _ENDED.get(bench.ended_by, f"It ended early: {bench.ended_by}.")


def head(bench: "Bench") -> str:
    """Return the framework used, and how long and when it was measured."""
    through = [
        f"{one.name} {one.version}" + (f" ({one.build})" if one.build and one.build not in one.version else "")
        for one in bench.frameworks
    ]
    kind = "quick" if bench.quick else "full"
    return " · ".join([f"Benchmark, {kind}, {bench.seconds:.0f} s", *through, bench.started])


def device_title(device: "Benched") -> str:
    """Return "nvidia:0  NVIDIA H100 · driver 570.86 · power limit 300 W"."""
    known = [device.id, device.name or device.product or device.kind]
    if device.driver_version:
        known.append(f"driver {device.driver_version}")
    if device.power_limit_watts:
        known.append(f"power limit {device.power_limit_watts:.0f} W")
    return "  ".join([known[0], " · ".join(known[1:])])


def _device(device: "Benched", measures: "list[Measure]", width: int) -> Iterator[str]:
    yield from wrapped(device_title(device), width, "    ")
    for one in measures:
        if one.state == "measured":
            yield _row(one, width)
    yield from _limits(measures, width)
    yield from _without_figures(measures, width)


def _row(one: "Measure", width: int) -> str:
    spread = f"±{one.spread:.0%}" if one.spread is not None else ""
    line = f"  {measure_name(one):<{_NAME}}{value_text(one.value, one.unit, one.name):>{_VALUE}} {spread:>5}"
    if one.share is not None:
        filled = max(0, min(_BAR, round(_BAR * one.share)))
        peak = value_text(one.peak, one.unit, one.name)
        line += f"  {'█' * filled}{'░' * (_BAR - filled)} {one.share:>4.0%} of {peak}"
    more = _more(one)
    if more and len(line) + len(more) + 2 <= width:
        line += f"  {more}"
    return line.rstrip()


def measure_name(one: "Measure") -> str:
    """Return the name of a measurement, with the other device or the number of devices."""
    if not one.others:
        return one.name
    return f"device to {one.others[0]}" if one.kind == "peer" else f"{one.name}, {len(one.others) + 1} devices"


def _more(one: "Measure") -> str:
    if "round_trip_seconds" in one.extra:
        return f"{value_text(one.extra['round_trip_seconds'], 's')} with the wait"
    if "page_cache_bytes_per_second" in one.extra:
        return f"{rate_text(one.extra['page_cache_bytes_per_second'], 'B/s')} from the page cache"
    if one.reached and one.peak:
        return f"published {one.reached / one.peak:.0%}"
    return one.way or "" if one.share is None else ""


def _limits(measures: "list[Measure]", width: int) -> Iterator[str]:
    """Yield each sentence on what limited measurements, once, with the measurements it applies to."""
    about: dict[str, list[str]] = {}
    for one in measures:
        for limit in one.limited_by:
            about.setdefault(limit.cause, [])
            about[limit.cause].append(one.name)
    for cause, names in about.items():
        sentences = [limit.text for one in measures for limit in one.limited_by if limit.cause == cause]
        worst = max(dict.fromkeys(sentences), key=sentences.count)
        which = "all measures" if len(names) > 4 else ", ".join(dict.fromkeys(names))
        by = worst if worst.startswith("PCIe") else worst[:1].lower() + worst[1:]
        yield from wrapped(f"  Limited by {by} ({which})", width, "    ")


def _without_figures(measures: "Iterable[Measure]", width: int) -> Iterator[str]:
    """Yield why measurements have no figure, each reason once."""
    words = {"failed": "Failed", "unavailable": "Not here", "not-run": "Not run"}
    by_reason: dict[tuple[str, str], list[str]] = {}
    for one in measures:
        if one.state != "measured":
            by_reason.setdefault((words[one.state], one.reason or "It was not reached."), []).append(one.name)
    for (word, reason), names in by_reason.items():
        listed = ", ".join(dict.fromkeys(names))
        yield from wrapped(f"  {word}: {listed}. {reason[:1].upper()}{reason[1:]}", width, "    ")


def comparison_lines(
    older: "Bench", newer: "Bench", differences: "tuple[Difference, ...]", width: int
) -> Iterator[str]:
    """Yield what became slower or faster, and other differences."""
    from accel.measure.bench.compare import unlike

    yield ""
    yield f"Compared with {older.started}"
    told = [one for one in differences if one.change != "same"]
    for one in sorted(told, key=lambda one: one.ratio if one.ratio is not None else 9.0):
        then, now = (value_text(value, one.unit, one.name) for value in (one.older, one.newer))
        where = ", ".join((one.device, *one.others))
        if one.ratio is None:
            yield from wrapped(
                f"  {one.change}: {one.name}, {where}: {then if one.change == 'gone' else now}", width, "    "
            )
            continue
        by = f"{abs(one.ratio - 1):.0%} {one.change}, noise {one.noise:.0%}"
        yield from wrapped(f"  {one.change}: {one.name}, {where}: {then} -> {now} ({by})", width, "    ")
    same = len(differences) - len(told)
    if same:
        yield f"  {plural(same, 'measure')} the same within the noise"
    for sentence in unlike(older, newer):
        yield from wrapped(f"  Unlike: {sentence}", width, "    ")


def value_text(value: float | None, unit: "Unit | str", name: str = "") -> str:
    """Return "701 TFLOPS", "393 TOPS" for integers, "3.35 TB/s", "4.1 µs"; "?" if unknown."""
    if value is None:
        return "?"
    if unit == "s":
        times, word = next((times, word) for least, times, word in _LATENCY if value >= least)
        return f"{value * times:.3g} {word}"
    return rate_text(value, "OPS" if " int" in name else _RATE[unit])
