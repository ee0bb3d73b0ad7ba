"""Call the public functions many times, in the ways that programs do, and hold that nothing grows and nothing differs.

    LD_LIBRARY_PATH=…/fakenvml/570 FAKENVML_GPUS=8 FAKENVML_PIDS=11:1,12:1 python benchmarks/soak.py --calls 20000

--calls    of each cheap function; those that probe or fork get a share of it (see _PLAN)
--minutes  ends sooner, after the round in which they are over

Rounds are run in this process, in 8 threads at once, in forked and in spawned children, and under a timer whose signal
handler interrupts whatever runs. After the first round, which fills the caches, and after the last one it counts open
descriptors, children (zombies among them) and resident memory. It prints a line a way of calling, and ends with 1
where a count has grown, memory has by more than --megabytes, a value differs, or a call raises.
"""

import argparse
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import accel

_THREADS = 8
_ROUNDS = 20
_STEADY = ("id", "name", "uuid", "pci_address", "memory_total_bytes", "health", "parent")


@dataclass
class Seen:
    """What one way of calling came to: calls made, distinct values by function, what was raised."""

    calls: int = 0
    values: dict[str, set[Any]] = field(default_factory=dict)
    raised: list[str] = field(default_factory=list)

    def call(self, name: str, function: Callable[[], Any]) -> None:
        try:
            value = function()
        except Exception as error:  # whatever it is, it is the answer of this run
            self.raised.append(f"{name}: {type(error).__name__}: {error}")
        else:
            self.values.setdefault(name, set()).add(value)
        self.calls += 1


def _identity(devices: Any) -> Any:
    return tuple(tuple(getattr(device, name) for name in _STEADY) for device in devices if device.kind != "cpu")


def _first() -> str:
    return accel.accelerators()[0].id


def _sampled() -> Any:
    found = accel.sample(accel.accelerators())
    return _identity(found), tuple(tuple(p.pid for p in d.processes or ()) for d in found)


# function, and how many calls stand for one of it: a probe is dearer than a memory reading
_PLAN: dict[str, tuple[Callable[[], Any], int]] = {
    "memory": (lambda: accel.memory(_first()).total_bytes, 1),
    "sample": (_sampled, 1),
    "processes": (lambda: tuple(sorted((k, len(v or ())) for k, v in accel.processes().items())), 1),
    "device": (lambda: accel.device(0).uuid, 1),
    "devices": (lambda: _identity(accel.devices()), 4),
    "health": (lambda: tuple(sorted(accel.health().items())), 10),
    "isolated": (lambda: _identity(accel.devices(isolate=True)), 20),
    "doctor": (lambda: tuple(sorted(f.name for f in accel.doctor().findings)), 100),
}


def _round(seen: Seen, calls: int) -> None:
    for name, (function, dear) in _PLAN.items():
        for _ in range(max(1, calls // dear)):
            seen.call(name, function)


def _here(seen: Seen, calls: int) -> None:
    _round(seen, calls)


def _threads(seen: Seen, calls: int) -> None:
    each = [Seen() for _ in range(_THREADS)]
    threads = [threading.Thread(target=_round, args=(one, max(1, calls // _THREADS))) for one in each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in each:
        _add(seen, one)


def _signals(seen: Seen, calls: int) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    try:
        _round(seen, calls)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _child(calls: int, answers: Any) -> None:
    seen = Seen()
    _round(seen, calls)
    answers.put(seen)


def _children(method: str) -> Callable[[Seen, int], None]:
    def run(seen: Seen, calls: int) -> None:
        context: Any = multiprocessing.get_context(method)
        answers = context.SimpleQueue()
        child = context.Process(target=_child, args=(max(1, calls // 4), answers))
        child.start()
        _add(seen, answers.get())
        child.join()
        child.close()
        answers.close()

    return run


_WAYS = {
    "here": _here,
    "threads": _threads,
    "signals": _signals,
    "fork": _children("fork"),
    "spawn": _children("spawn"),
}


def _add(seen: Seen, other: Seen) -> None:
    seen.calls += other.calls
    seen.raised += other.raised
    for name, values in other.values.items():
        seen.values.setdefault(name, set()).update(values)


def _counts() -> tuple[int, int, float]:
    """Return open descriptors, children, and the resident memory in MiB."""
    children = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    children += int(file.read().rpartition(")")[2].split()[1]) == os.getpid()
            except OSError:
                continue
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return len(os.listdir("/proc/self/fd")), children, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> int:
    it = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    it.add_argument("--calls", type=int, default=20_000)
    it.add_argument("--minutes", type=float, default=60.0)
    it.add_argument("--megabytes", type=float, default=8.0, help="how much the resident memory may grow (default 8)")
    it.add_argument("--ways", default=",".join(_WAYS))
    options = it.parse_args()
    failed = False
    ways = options.ways.split(",")
    for way in ways:
        seen, start, ends = Seen(), time.monotonic(), time.monotonic() + options.minutes * 60 / len(ways)
        first = None
        for _ in range(_ROUNDS):
            _WAYS[way](seen, max(1, options.calls // _ROUNDS))
            first = first or _counts()
            if time.monotonic() > ends:
                break
        last = _counts()
        assert first is not None
        unlike = sorted(name for name, values in seen.values.items() if len(values) != 1)
        grown = last[0] > first[0] or last[1] > first[1] or last[2] - first[2] > options.megabytes
        failed = failed or grown or bool(unlike) or bool(seen.raised)
        print(
            f"{way:8} {seen.calls:7} calls {time.monotonic() - start:6.0f} s   descriptors {first[0]} to {last[0]}   "
            f"children {first[1]} to {last[1]}   memory {first[2]:.1f} to {last[2]:.1f} MiB   "
            f"differing: {', '.join(unlike) or 'none'}   raised: {len(seen.raised)} {seen.raised[:1] or ''}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
