"""All-reduce over two processes, each of them this Python with a rank: whether every rank has the correct sums."""

from __future__ import annotations

import json
import subprocess
from importlib import import_module
from typing import Any

from .ranks import ANSWER, LIBRARIES, ranks

_COUNT = 4096


def wrong_in_sums(package: str, devices: list[str]) -> str | None:
    """Return what is wrong; None if nothing is. Raises RuntimeError with the last lines of a rank that failed."""
    row = {"package": package, "devices": devices}
    with ranks("deep_collective", row, lambda number: subprocess.STDOUT, errors="replace") as started:
        said = [one.communicate()[0] for one in started]
    for number, text in enumerate(said):
        answer = next((line for line in text.splitlines() if line.startswith(ANSWER)), None)
        if answer is None:
            lines = [line for line in text.splitlines() if line.strip()][-8:]
            raise RuntimeError("\n".join([f"rank {number} left with {started[number].returncode}:", *lines]))
        wrong: str | None = json.loads(answer[len(ANSWER) :])
        if wrong:
            return f"rank {number}: {wrong}"
    return None


def rank(row: dict[str, Any]) -> None:
    """Run as one rank, and print what is wrong in its sums."""
    torch = import_module("torch")
    if row["package"] != "torch":
        import_module(row["package"])
    together = import_module("torch.distributed")
    name, count = row["devices"][row["rank"]], len(row["devices"])
    kind = name.partition(":")[0]
    if kind != "cpu":
        getattr(torch, kind).set_device(name)
    together.init_process_group(
        LIBRARIES[kind], init_method=f"file://{row['meet']}", rank=row["rank"], world_size=count
    )
    array = torch.tensor([float(n * (row["rank"] + 1)) for n in range(_COUNT)], dtype=torch.float32, device=name)
    together.all_reduce(array)
    times = count * (count + 1) // 2
    wrong = [n for n, sum_ in enumerate(array.tolist()) if sum_ != n * times]
    print(ANSWER + json.dumps(f"{len(wrong)} of {_COUNT} sums are wrong." if wrong else None), flush=True)
    together.barrier()
    together.destroy_process_group()
