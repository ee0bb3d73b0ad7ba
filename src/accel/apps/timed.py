"""`accel.bench.timed`: times a user's function on any backend, with warm-up and synchronisation."""

import sys
from collections.abc import Callable
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput

_JAX: Final = ("tpu", "rocm", "gpu")  # device kinds that only JAX names this way
_SHORT: Final = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long a function takes.

    seconds  of one call, the median over the runs; best_seconds and worst_seconds: of the best and the worst run
    spread   of the middle half of the runs, as a fraction of the median: 0.02 is 2 %
    runs     number of timed runs, of calls_per_run calls each; warmup_calls came before and are not counted
    first_seconds  of the very first call, including compilation, kernel loading and allocation
    waited_by  how the end of the device's work is detected: "torch.cuda events", "jax.block_until_ready"
    """

    seconds: float
    best_seconds: float
    worst_seconds: float
    spread: float
    runs: int
    calls_per_run: int
    warmup_calls: int
    first_seconds: float
    device: str
    waited_by: str

    def __str__(self) -> str:
        calls = f" of {self.calls_per_run} calls" if self.calls_per_run > 1 else ""
        return (
            f"{_short(self.seconds)} ± {self.spread:.0%} (median of {self.runs} runs{calls} on {self.device}; "
            f"the first call took {_short(self.first_seconds)}; {self.waited_by})"
        )


def timed(fn: Callable[[], Any], device: Device | str | Any = None, *, seconds: float = 1.0) -> Timing:
    """Return how long fn() takes, measured over about `seconds` seconds including warm-up.

        accel.bench.timed(lambda: a @ b)                      # on the device of a and b, torch or JAX
        accel.bench.timed(step, "cuda:0")                     # a function that returns nothing needs its device

    device  where the work is done: a torch.device or jax.Device, their names ("cuda:0", "mps", "tpu:0"), a Device or id
            of accel ("nvidia:0"); None: the device of fn's result

    Warm-up runs until two consecutive runs agree. Calls too short for the clock's resolution are timed together. The
    device's own events are used if torch has them; otherwise the device is synchronised before and after each run. A
    framework that is not imported in this process cannot be in use by fn, and is ignored. Raises BadInput if
    synchronisation is impossible: a device without its framework, a JAX function without a result; also if seconds is
    not above 0. Exceptions from fn propagate.
    """
    from accel.measure.programs.timing import measured

    if not 0 < seconds < 1e6:
        raise BadInput(f"seconds={seconds!r}: give a time above 0, such as 1.0.")
    import time

    start = time.perf_counter()
    result = fn()
    waiter = _waiter(device, result)
    waiter.wait(result)
    first = time.perf_counter() - start
    found = measured(fn, waiter.wait, seconds=seconds, events=waiter.events, each=waiter.each)
    return Timing(
        seconds=found["seconds"],
        best_seconds=found["best"],
        worst_seconds=found["worst"],
        spread=found["spread"],
        runs=found["runs"],
        calls_per_run=found["calls"],
        warmup_calls=found["warmup_calls"] + 1,
        first_seconds=first,
        device=waiter.device,
        waited_by=waiter.by,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiter:
    """How to wait for a device. each: after every call, because calls may overtake each other."""

    device: str
    by: str
    wait: Callable[[Any], Any]
    events: Callable[[], Any] | None = None
    each: bool = False


def _waiter(device: Any, result: Any) -> _Waiter:
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if jax is not None and hasattr(device, "platform") and hasattr(device, "client"):
        return _of_jax(jax, f"{device.platform}:{device.id}", result)
    if device is None:
        return _of_result(torch, jax, result)
    for name in _names(device):
        kind = name.partition(":")[0]
        if jax is not None and (kind in _JAX or (_holds(jax, result) and not _tensors(torch, result))):
            return _of_jax(jax, name, result)
        if torch is not None and (kind == "cpu" or getattr(torch, kind, None) is not None) and kind not in _JAX:
            return _of_torch(torch, name)
        if kind == "cpu":
            return _Waiter(device="cpu", by="no wait: a call returns when it is done", wait=lambda _: None)
    raise BadInput(
        f"{device!s:.60}: no framework imported in this process supports it. Import torch or JAX first, or pass "
        "their name for it, such as 'cuda:0'."
    )


def _of_result(torch: Any, jax: Any, result: Any) -> _Waiter:
    tensors = _tensors(torch, result)
    if tensors:
        return _of_torch(torch, str(tensors[0].device))
    if jax is not None and _holds(jax, result):
        return _of_jax(jax, "", result)
    if result is None and (torch is not None or jax is not None):
        raise BadInput(
            "The function returns nothing, so where its work is done is not known. Give the device:  "
            "accel.bench.timed(fn, 'cuda:0')  or return what it computes."
        )
    return _Waiter(device="cpu", by="no wait: a call returns when it is done", wait=lambda _: None)


def _of_torch(torch: Any, name: str) -> _Waiter:
    from accel.measure.programs.torch_device import TorchDevice

    known = TorchDevice(torch, name)
    if known.kind == "cpu":
        return _Waiter(device="cpu", by="no wait: torch's calls on the CPU return when they are done", wait=known.wait)
    if not known.is_available():
        raise BadInput(
            f"{name}: torch {torch.__version__} has no {known.kind} device here. Why:  accel doctor   A build "
            "that has one:  accel resolve torch"
        )
    known.select()
    events = known.clock()
    by = f"torch.{known.kind} events" if events else f"torch.{known.kind}.synchronize"
    return _Waiter(device=known.name, by=by, wait=known.wait, events=events)


def _of_jax(jax: Any, name: str, result: Any) -> _Waiter:
    arrays = [leaf for leaf in jax.tree_util.tree_leaves(result) if isinstance(leaf, jax.Array)]
    if not arrays:
        raise BadInput(
            "The function returns no array, and JAX is waited for by what it returns. Return what it computes."
        )
    platform = next(iter(arrays[0].devices())).platform

    def wait(found: Any) -> None:
        if found is not None:
            jax.block_until_ready(found)

    by = "jax.block_until_ready"
    return _Waiter(device=name or platform, by=by, wait=wait, each=platform == "cpu")


def _tensors(torch: Any, result: Any) -> list[Any]:
    """Return the tensors in a function's result, including those in its lists, tuples and dicts."""
    kind = getattr(torch, "Tensor", None)
    if kind is None:
        return []
    found: list[Any] = []
    left = [result]
    while left and not found:
        one = left.pop()
        if isinstance(one, kind):
            found.append(one)
        elif isinstance(one, dict):
            left += list(one.values())[:1000]
        elif isinstance(one, list | tuple):
            left += list(one)[:1000]
    return found


def _holds(jax: Any, result: Any) -> bool:
    kind = getattr(jax, "Array", None)
    return kind is not None and any(isinstance(leaf, kind) for leaf in jax.tree_util.tree_leaves(result))


def _names(device: Any) -> tuple[str, ...]:
    """Return the names that frameworks use for a device given in any form."""
    from accel.apps import api
    from accel.model.device import Device
    from accel.model.errors import NoSuchDevice

    if isinstance(device, Device):
        return device.runtime_names or ()
    kind = getattr(device, "type", None)
    name = device if isinstance(device, str) else kind if isinstance(kind, str) else None
    if name is None:
        raise BadInput(f"device={device!r:.60}: give a torch.device, a jax.Device, a Device of accel, or a name.")
    index = getattr(device, "index", None) if not isinstance(device, str) else None
    name = f"{name}:{index}" if isinstance(index, int) else name
    if name.partition(":")[0] in ("cpu", "mps"):
        return (name,)
    try:
        known = api.device(name)
    except NoSuchDevice:  # a name that only the framework knows
        return (name,)
    return known.runtime_names or (name,)


def _short(seconds: float) -> str:
    """Return "1.23 ms"."""
    for least, times, unit in _SHORT:
        if seconds >= least:
            return f"{seconds * times:.3g} {unit}"
    return f"{seconds:.3g} s"
