from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.observation import Fact
from accel.specs import Specs
from accel.specs.achieved import usual_share
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, path_word

_LOW: Final = 0.85  # of the share published for its architecture: other shapes, other releases
_HALF: Final = 0.5  # of the peak if nothing is published; of the published share if no reason was recorded
_CAPPED: Final = 0.97  # share of the data sheet's watts below which the limit was set
_ORDER: Final = ("build", "power", "heat", "clock", "link", "memory", "others", "limit")
_MENDS: Final = {
    "power": "Restore its default power limit, unless somebody lowered it on purpose.",
    "heat": "Clean the fans, filters and heat sink at this slot, clear the airflow, and compare with the others.",
    "clock": "Unlock its clocks, unless somebody locked them on purpose.",
    "link": "With the power off: reseat the board; check slot, riser and the slot's firmware settings "
    "(generation, bifurcation).",
    "memory": "Stop what uses its memory, or wait for it, and measure again.",
    "others": "Stop the programs that use it at the same time, or wait for them, and measure again.",
    "limit": "Give the program more processors: its control group's limit, or OMP_NUM_THREADS.",
}
_LOOKS: Final = {
    "power": (
        "Check its limit and its default on that machine, with the command that sets it.",
        "accel doctor --verbose",
    ),
    "clock": ("Check on that machine what limits its clocks.", "accel doctor --verbose"),
    "link": ("Check which link on the way to it is narrow.", "accel topology"),
}
_BY_OTHERS: Final = ("memory", "others")
_FRAMEWORKS: Final = ("torch", "jax")


@check(
    code="AC488",
    name="benchmark-below-usual",
    layer="hardware",
    severity="warning",
    reads=("measured-rate",),
    explained_by=("power-capped", "amd-gpu-held-low", "gpu-thermal-slowdown", "gpu-hardware-slowdown"),
)
def benchmark_below_usual(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A device reached far less in a saved benchmark than its architecture usually does; says what limited it.

    Why it matters   Jobs take longer than on other devices of its kind, without any error; a job over several waits for
                     it.
    What to do       Remove what limited it: the power limit, heat, the link, other programs, the build.
    Looks at         the results of accel bench: the share of the peak, and the reason that it recorded
    Silent when      the share is at least 85 % of what is published for that architecture; nothing is published for it,
                     and it is half of the peak, or no reason was recorded; the peak is unknown; it is a copy from
                     pageable memory
    Source           accel bench; specs/system/achieved
    """
    for device, measured in _latest(facts).items():
        told: dict[str, list[Fact]] = {}
        for fact in measured:
            causes = _causes(fact, facts, specs)
            if _is_low(fact, bool(causes), specs):
                told.setdefault(" ".join(causes), []).append(fact)
        for together, low in told.items():
            yield _problem(device, together.split(), sorted(low, key=_share), facts, specs)


def _latest(facts: Facts) -> dict[str, list[Fact]]:
    """Return each device's measurements, each from the latest benchmark that has it."""
    last: dict[tuple[str | None, ...], Fact] = {}
    for fact in sorted(facts.stated("measured-rate"), key=lambda one: one.value("started") or ""):
        last[fact.device, fact.value("measure"), fact.value("other")] = fact
    found: dict[str, list[Fact]] = {}
    for fact in last.values():
        found.setdefault(fact.device or "", []).append(fact)
    return found


def _share(fact: Fact) -> float:
    """Return the share of the peak; 1 if it is unknown, so that nothing is found."""
    try:
        return float(fact.value("share") or "1")
    except ValueError:
        return 1.0


def _is_low(fact: Fact, explained: bool, specs: Specs) -> bool:
    share, product, dtype = _share(fact), fact.value("product"), fact.value("dtype")
    usual = usual_share(specs, product, dtype) if product and dtype and fact.value("whole") else None
    if usual is not None:
        return share < (_LOW if explained else _HALF) * usual
    return explained and share < _HALF and "pageable" not in (fact.value("measure") or "")


def _causes(fact: Fact, facts: Facts, specs: Specs) -> list[str]:
    """Return what limited a measurement; a power limit that is the product's own is no reason."""
    read = (fact.value("limited_by") or "").split()
    limit = fact.number("limit_watts")
    sheet = _sheet_watts(fact, facts, specs) if limit is not None and "power" in read else None
    own = limit is not None and sheet is not None and limit >= _CAPPED * sheet
    return [cause for cause in _ORDER if cause in read and not (cause == "power" and own)]


def _device(fact: Fact, facts: Facts) -> Device | None:
    by_id = facts.cached("devices by id", lambda: {one.id: one for one in facts.devices})
    return by_id.get(fact.device or "")


def _sheet_watts(fact: Fact, facts: Facts, specs: Specs) -> float | None:
    """Return the device's allowed power: as the driver reports it, otherwise from the product's data sheet."""
    default: float | None = getattr(_device(fact, facts), "power_default_watts", None)
    if default:
        return default
    product = fact.value("product")
    if not product or not fact.value("whole"):
        return None
    chip = specs.cached(("product", product), lambda: specs.chip(name=product))
    return float(chip.tdp_watts) if chip is not None and chip.tdp_watts and chip.devices == 1 else None


def _problem(device: str, causes: list[str], low: list[Fact], facts: Facts, specs: Specs) -> Problem:
    worst = low[0]
    what = worst.value("dtype") or worst.value("measure")
    why = _while(causes[0], worst, facts, specs) if causes else "; nothing that was read at the same time shows why"
    remedies = [remedy for cause in causes for remedy in _remedies(cause, worst, facts, specs)]
    if not causes:
        again = command_line("accel bench", path_word(device), "--only", path_word(worst.value("measured")))
        remedies = [Remedy(text="Measure again with nothing else running on the machine.", command=again, kind="look")]
    return Problem(
        title=f"{device}: {what} reaches {100 * _share(worst):.0f} % of the peak{why}",
        severity=None if causes else "info",
        devices=(device,) if _device(worst, facts) is not None else (),
        evidence=(*_usual(worst, specs), *quoted(low)),
        remedies=tuple(dict.fromkeys(remedies)),
    )


def _usual(fact: Fact, specs: Specs) -> tuple[Evidence, ...]:
    product, dtype = fact.value("product"), fact.value("dtype")
    usual = usual_share(specs, product, dtype) if product and dtype and fact.value("whole") else None
    return (Evidence(fact=f"usual of a {product}", value=f"{100 * usual:.0f} %"),) if usual is not None else ()


def _while(cause: str, fact: Fact, facts: Facts, specs: Specs) -> str:
    """Return the continuation of the title: what limited it, with figures."""
    limit, sheet = fact.number("limit_watts"), _sheet_watts(fact, facts, specs)
    celsius, clock = fact.number("celsius"), fact.number("clock_mhz")
    of = f" of {sheet:.0f} W" if sheet is not None else ""
    words = {
        "build": " through a build without kernels for it",
        "power": f" while power is capped at {limit} W{of}" if limit is not None else " at its power limit",
        "heat": " while heat throttles it" + (f", at {celsius} °C" if celsius is not None else ""),
        "clock": " while its clock is limited" + (f", at {clock} MHz" if clock is not None else ""),
        "link": " over a PCIe link below its maximum",
        "memory": " while other processes use part of its memory",
        "others": " while other programs use it",
        "limit": " with a limited number of processors",
    }
    return words[cause]


def _remedies(cause: str, fact: Fact, facts: Facts, specs: Specs) -> Iterator[Remedy]:
    if cause == "build":
        from accel.resolver.remedies import install

        through = fact.value("through")
        if through in _FRAMEWORKS:
            yield install(facts, specs, through, text="Install a build that has kernels for it", newest=True)
        else:
            yield Remedy(text="Install a build of that framework that has kernels for it.", action="env")
        return
    if cause in _BY_OTHERS:
        who = command_line("accel ps", path_word(fact.device))
        yield Remedy(text="Check which process uses it.", command=who, kind="look")
    elif cause in _LOOKS:
        text, command = _LOOKS[cause]
        yield Remedy(text=text, command=command, kind="look")
    yield Remedy(text=_MENDS[cause], action="env" if cause in (*_BY_OTHERS, "limit") else "admin")
