"""Who holds a GPU's memory when an allocation fails, and whether free memory is only fragmented."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Complaint, Fact, Noted, whole_number
from accel.text.words import Words
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_SHARE: Final = 0.25  # share of the total that others must hold to be the cause
_LEAST: Final = 2 << 30  # contexts and the driver's reserve stay below it
_CONTEXT: Final = 3 << 29  # 1.5 GiB: what a process holds beyond PyTorch's own figures
_NUMBERS: Final = frozenset(
    (
        *("numeric", "number", "integer", "int", "float", "parse", "parsing", "convert", "conversion", "literal"),
        *("nonetype", "nan", "digit", "unsupported", "operand"),
    )
)
_SEGMENT: Final = 1 << 30
_CACHED: Final = 256 << 20  # reserved but unallocated: less is normal
_CACHED_SHARE: Final = 0.1  # share of torch's reserved memory: a slightly smaller batch needs as much
_PART: Final = 0.5  # share of a segment in use: the rest cannot be freed


@rule(
    gives={
        "memory-held-by-others": "other processes use so much of the GPU's memory that an allocation failed",
        "memory-in-pieces": "free and cached memory would be enough, but it is fragmented",
        "number-from-na": "a program took the N/A of a machine with shared memory for a number",
        "busy-and-held": "CUDA calls a GPU busy on which another process sits, or that lets in only one",
    },
    triggers=("torch-oom", "torch-segment", "memory-na-printed", "na-as-a-number", "gpu-busy"),
)
def gpu_memory(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Compares the figures in PyTorch's message. A listed process with as much memory as PyTorch itself is the failing
    one: in containers newer messages show its PID there. Others' memory counts from a quarter of the total. A request
    that fits into free plus cached, unallocated memory fails because of fragmentation.
    """
    notes = list(seen.of(Noted))
    for one in (one for one in notes if one.fact == "torch-oom"):
        values = dict(one.values)
        figures = {key: size for key, value in values.items() if (size := whole_number(value)) is not None}
        if "total" not in figures:
            continue
        if _in_pieces(figures):
            yield fact_from("memory-in-pieces", one, **values)
            continue
        others = _held_by_others(figures, values.get("others"))
        if others is not None and others >= max(_LEAST, _SHARE * figures["total"]):
            told = {"gpu": values.get("gpu"), "others": str(others), "total": values["total"]}
            if "own" not in figures and "others" not in values:
                own = (figures["allocated"] + figures["unallocated"], _CONTEXT)
                parts = [f"{size / (1 << 30):.2f}" for size in (figures["total"], figures["free"], *own)]
                told["sum"] = "{} GiB, less {} free, {} of this program and {} for its CUDA context".format(*parts)
            listed = (values.get("others") or "").split()
            alone = listed[0].partition(":")[0] if len(listed) == 1 and "own" in figures else None
            yield fact_from("memory-held-by-others", one, **told, **({"holder": alone} if alone else {}))
    failed = bool(seen.facts("gpu-out-of-memory"))
    for one in (one for one in notes if one.fact == "torch-segment"):
        total, active = (whole_number(dict(one.values).get(key)) for key in ("total", "active"))
        if total is None or active is None:
            continue
        if failed and total >= _SEGMENT and active < _PART * total:
            yield fact_from("memory-in-pieces", one, **dict(one.values))
    if seen.facts("shared-memory-machine"):
        if seen.facts("memory-na-printed"):
            for complaint in seen.of(Complaint):
                if set(Words(complaint.text).words) & _NUMBERS:
                    yield fact_from("number-from-na", complaint)
        for fact in seen.facts("na-as-a-number"):
            yield Fact(
                name="number-from-na", text=fact.text, source=fact.source, line=fact.line, last_line=fact.last_line
            )
    yield from _busy(seen, notes)


def _in_pieces(figures: dict[str, int]) -> bool:
    if not {"tried", "free", "unallocated"} <= set(figures):
        return False
    fits = figures["free"] < figures["tried"] <= figures["free"] + figures["unallocated"]
    return fits and figures["unallocated"] >= max(_CACHED, _CACHED_SHARE * figures.get("allocated", 0))


def _held_by_others(figures: dict[str, int], listed: str | None) -> int | None:
    """Return the bytes that other processes hold; None if the message does not show it."""
    total, free, own = figures["total"], figures.get("free"), figures.get("own")
    if own is not None and "allocated" in figures:  # in a container the driver may not list the process itself
        own = max(own, figures["allocated"] + figures.get("unallocated", 0))
    if listed is None:
        if own is None and {"allocated", "unallocated"} <= set(figures):  # as ROCm builds print it
            own = figures["allocated"] + figures["unallocated"] + _CONTEXT
        return None if free is None or own is None else total - free - own
    amounts = sorted(whole_number(part.rpartition(":")[2]) or 0 for part in listed.split())
    if own is None and "allocated" in figures:
        mine = figures["allocated"] + figures.get("unallocated", 0)
        for place, amount in enumerate(amounts):
            if mine - (1 << 28) <= amount <= mine + _CONTEXT:
                del amounts[place]
                break
    return sum(amounts)


def _busy(seen: Seen, notes: list[Noted]) -> Iterator[Fact]:
    busy = seen.facts("gpu-busy")
    if not busy:
        return
    held = {dict(one.values).get("gpu") for one in notes if one.fact == "gpu-process"}
    for report in seen.snapshot.reports:
        if report.backend == "nvidia":
            held |= {str(device.index) for device in report.devices if device.processes}
    mask = _mask(seen)
    given = [index for index in mask.split(",") if index.strip().isdecimal()] if mask else []
    mine = {index.strip() for index in given} & {gpu for gpu in held if gpu}
    if mine or (not given and held):
        for fact in busy[:2]:
            values = (("gpu", ",".join(sorted(mine))),) if mine else ()
            yield Fact(
                name="busy-and-held",
                text=fact.text,
                values=values,
                source=fact.source,
                line=fact.line,
                last_line=fact.last_line,
            )


def _mask(seen: Seen) -> str | None:
    """Return the visibility mask, from the environment or printed by a job script."""
    for environment in seen.snapshot.environments:
        for name, value in environment.variables or ():
            if name == "CUDA_VISIBLE_DEVICES":
                return value
    said = seen.facts("mask-said")
    return said[0].value("mask") if said else None
