"""All-reduce over several processes, each of them this Python with a rank: the bandwidth of the bus between them.

The bus bandwidth is the size divided by the time, times 2 (n - 1) / n: what each link carries in a ring, so that it
is comparable with a link's rate for any number of devices.
Source  NVIDIA/nccl-tests, doc/PERFORMANCE.md
"""

from __future__ import annotations

import json
import os
import subprocess
from importlib import import_module
from typing import Any

from . import timing
from .ranks import ANSWER, LIBRARIES, ranks
from .reporting import Unavailable


def bus_bandwidth(row: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return the measurement of an all-reduce over row["devices"], one process each."""
    row = {**row, "seconds": seconds}
    with ranks("collective", row, lambda number: subprocess.PIPE if number == 0 else None) as started:
        said, wrong = started[0].communicate()
        codes = [one.wait() for one in started]
    line = next((line for line in said.splitlines() if line.startswith(ANSWER)), None)
    if line is None:
        last = [line for line in wrong.splitlines() if line.strip()][-1:]
        raise RuntimeError(f"the process of rank 0 left with {codes[0]}: {''.join(last)}")
    found: dict[str, Any] = json.loads(line[len(ANSWER) :])
    return found


def rank(row: dict[str, Any]) -> None:
    """Run as one rank; the first prints the result."""
    torch = import_module("torch")
    together = import_module("torch.distributed")
    count, name = len(row["devices"]), row["devices"][row["rank"]]
    kind = name.partition(":")[0]
    library = LIBRARIES.get(kind)
    if library is None:
        raise Unavailable(f"no library for collectives between devices of type {kind} is known")
    if kind == "npu":
        import_module("torch_npu")
    if kind != "cpu":
        getattr(torch, kind).set_device(name)
    else:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // count))
    together.init_process_group(library, init_method=f"file://{row['meet']}", rank=row["rank"], world_size=count)
    array = torch.ones(row["bytes"] // 4, dtype=torch.float32, device=name)
    wait = (lambda _result: None) if kind == "cpu" else (lambda _result: getattr(torch, kind).synchronize())
    runs = torch.zeros(1, dtype=torch.int64, device=name)
    first = _seconds(lambda: together.all_reduce(array), wait)
    runs[0] = max(5, min(100, int(row["seconds"] / 2 / max(first, 1e-4))))
    together.broadcast(runs, 0)  # every rank makes the same number of runs
    for _ in range(2):
        together.all_reduce(array)
    took = []
    for _ in range(int(runs[0])):
        array.fill_(1.0)
        together.barrier()
        took.append(_seconds(lambda: together.all_reduce(array), wait))
    if row["rank"] == 0:
        size = array.numel() * 4
        told = timing.statistics_of(took)
        amount = size * 2 * (count - 1) / count
        way = f"all_reduce of {size >> 20} MiB, {library}, {count} processes"
        print(ANSWER + json.dumps({**told, "calls": 1, "first": first, "amount": amount, "way": way}), flush=True)
    together.barrier()
    together.destroy_process_group()


def _seconds(call: Any, wait: Any) -> float:
    import time

    wait(None)
    start = time.perf_counter()
    wait(call())
    return time.perf_counter() - start
