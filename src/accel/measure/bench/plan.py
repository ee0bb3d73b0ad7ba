"""Plans the steps of a benchmark, those asked for most often first, and the time for each."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from accel.measure.bench.frameworks import Served
from accel.measure.bench.records import Kind, Unit
from accel.model.dataclass import dataclass

DTYPES: Final = ("bf16", "fp16", "fp8", "int8", "tf32", "fp32", "fp64")  # in order of measurement
_UNKNOWN: Final = ("bf16", "fp16", "fp32")  # for a chip whose formats are unknown
_OF_PROCESSORS: Final = ("fp32", "bf16", "int8", "fp64", "fp16")
_QUICK_OF_PROCESSORS: Final = ("fp32", "bf16", "int8")
_ACCESSES: Final = ("read", "write", "copy", "triad")
_WITHOUT_FRAMEWORK: Final = ("write", "copy")
_PINNED: Final = ("cuda", "xpu", "npu")
_SECONDS: Final[dict[str, tuple[float, float]]] = {  # per step: for a quick benchmark, and for a full one
    "matmul": (0.4, 2.0),
    "memory": (0.3, 1.5),
    "transfer": (0.25, 1.0),
    "peer": (0.2, 0.6),
    "launch": (0.2, 0.6),
    "collective": (0.0, 6.0),  # starts a process for each device: not in a quick one
    "storage": (0.6, 4.0),
}
_MIB: Final = 1 << 20
_TRANSFER: Final = (64 * _MIB, 256 * _MIB)
_REDUCED: Final = 64 * _MIB
_FILE: Final = (128 * _MIB, 1024 * _MIB)
_MOST_PAIRS: Final = 64
_FEW: Final = 2  # up to this many devices, a quick benchmark runs all measures
MEASURES: Final = tuple(_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: the Measure it fills in, and `row`, the program's instructions. framework None: it needs none."""

    name: str
    kind: Kind
    device: str
    others: tuple[str, ...] = ()
    unit: Unit = "bytes/s"
    framework: str | None
    row: dict[str, Any]

    @property
    def key(self) -> str:
        """The name of the step in the program's output lines."""
        return " ".join((self.name, self.device, *self.others))


def planned(
    devices: Sequence[tuple[Served, Collection[str]]], *, quick: bool, folder: str, only: Collection[str] = ()
) -> tuple[Step, ...]:
    """Return the steps for devices, given the formats in which each computes.

    folder  where a file is written and read; only: kinds of measure, from MEASURES; () for all
    """
    wanted = [kind for kind in MEASURES if not only or kind in only]
    steps = [step for one, formats in devices for step in _of_device(one, formats, quick)]
    if quick and len(devices) > _FEW:
        steps = list(_first_of_each(steps))
    steps += _between([one for one, _ in devices], quick)
    processor = next((one.device.id for one, _ in devices if one.device.kind == "cpu"), devices[0][0].device.id)
    row = {"folder": folder, "bytes": _FILE[not quick]}
    steps.append(_step("storage read", "storage", processor, None, quick, row))
    return tuple(step for step in steps if step.kind in wanted and step.row["seconds"])


def _first_of_each(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield for each device one format, one memory operation and one copy: with many devices time is short."""
    seen: set[tuple[str, str]] = set()
    for step in steps:
        if step.kind in ("matmul", "transfer") and (step.device, step.kind) not in seen:
            seen.add((step.device, step.kind))
            yield step
        elif step.name == "memory triad":
            yield step


def _of_device(one: Served, formats: Collection[str], quick: bool) -> Iterator[Step]:
    device = one.device
    if one.framework is None:
        if device.kind == "cpu":
            for access in _WITHOUT_FRAMEWORK:
                yield _step(f"memory {access}", "memory", device.id, None, quick, {"kind": access})
        return
    assert one.name is not None
    name, kind = {"device": one.name}, one.name.partition(":")[0]
    for dtype in _formats(one, formats, quick):
        yield _step(
            f"matmul {dtype}", "matmul", device.id, one.framework, quick, {**name, "dtype": dtype}, unit="operations/s"
        )
    for access in _ACCESSES:
        yield _step(f"memory {access}", "memory", device.id, one.framework, quick, {**name, "kind": access})
    if device.kind != "cpu":
        memories = ("pinned", "pageable") if one.framework == "torch" and kind in _PINNED else ("pageable",)
        for memory in memories:
            for direction, words in (("to-device", "host to device"), ("to-host", "device to host")):
                row = {**name, "memory": memory, "direction": direction, "bytes": _TRANSFER[not quick]}
                yield _step(f"{words}, {memory}", "transfer", device.id, one.framework, quick, row)
    yield _step("launch", "launch", device.id, one.framework, quick, name, unit="s")


def _formats(one: Served, formats: Collection[str], quick: bool) -> Iterable[str]:
    if one.device.kind == "cpu":
        return _QUICK_OF_PROCESSORS if quick else _OF_PROCESSORS
    kind = (one.name or "").partition(":")[0]
    known = [dtype for dtype in DTYPES if dtype in (formats or _UNKNOWN)]
    return [
        dtype
        for dtype in known
        if not (dtype == "tf32" and kind not in ("cuda", "gpu")) and not (kind == "mps" and dtype in ("fp64", "fp8"))
    ]


def _between(devices: Sequence[Served], quick: bool) -> Iterator[Step]:
    """Yield the copies between each pair of devices of a framework, and the collective over all of one kind."""
    for framework in dict.fromkeys(one.framework for one in devices if one.framework):
        mine = [one for one in devices if one.framework == framework and one.device.kind != "cpu"]
        pairs = [(a, b) for a in mine for b in mine if a is not b]
        if quick and len(mine) > _FEW:
            pairs = list(zip(mine, (*mine[1:], mine[0]), strict=True))  # each with its neighbour
        for a, b in pairs[:_MOST_PAIRS]:
            row = {"device": a.name, "other": b.name, "bytes": _TRANSFER[not quick]}
            yield _step("device to device", "peer", a.device.id, framework, quick, row, others=(b.device.id,))
        if len(mine) > 1:
            yield _collective(framework, [str(one.name) for one in mine], [one.device.id for one in mine], quick)
    processor = next((one for one in devices if one.device.kind == "cpu" and one.framework == "torch"), None)
    if processor is not None:
        yield _collective("torch", ["cpu", "cpu"], [processor.device.id], quick)


def _collective(framework: str, names: list[str], ids: list[str], quick: bool) -> Step:
    row = {"devices": names, "bytes": _REDUCED}
    return _step("all-reduce", "collective", ids[0], framework, quick, row, others=tuple(ids[1:]))


def _step(
    name: str,
    kind: Kind,
    device: str,
    framework: str | None,
    quick: bool,
    row: dict[str, Any],
    *,
    others: tuple[str, ...] = (),
    unit: Unit = "bytes/s",
) -> Step:
    key = " ".join((name, device, *others))
    seconds = _SECONDS[kind][not quick]
    made = {**row, "step": key, "measure": kind, "seconds": seconds}
    return Step(name=name, kind=kind, device=device, others=others, unit=unit, framework=framework, row=made)
