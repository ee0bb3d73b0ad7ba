"""All-reduce over two processes, each of them this Python with a rank: whether every rank has the correct sums."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from typing import Any

_RANK = """
import importlib.util, json, sys
place = sys.argv[1]
made = importlib.util.spec_from_file_location(
    "accel_programs", place + "/__init__.py", submodule_search_locations=[place]
)
package = sys.modules["accel_programs"] = importlib.util.module_from_spec(made)
made.loader.exec_module(package)
import accel_programs.deep_collective as this
this.rank(json.loads(sys.argv[2]))
"""
_ANSWER = "accel-rank "
_COUNT = 4096
LIBRARIES = {"cuda": "nccl", "npu": "hccl", "xpu": "xccl", "mlu": "cncl", "cpu": "gloo"}


def wrong_in_sums(package: str, devices: list[str]) -> str | None:
    """Return what is wrong; None if nothing is. Raises RuntimeError with the last lines of a rank that failed."""
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = dict(os.environ)
    if devices[0] == "cpu":
        environment.setdefault("GLOO_SOCKET_IFNAME", "lo")  # otherwise it resolves the host name, which may fail
    with tempfile.TemporaryDirectory(prefix="accel-deep-") as place:
        row = {"package": package, "devices": devices, "meet": os.path.join(place, "meet")}
        ranks = [
            subprocess.Popen(
                [sys.executable, "-u", "-c", _RANK, folder, json.dumps({**row, "rank": number})],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                text=True,
                errors="replace",
            )
            for number in range(len(devices))
        ]
        try:
            said = [one.communicate()[0] for one in ranks]
        finally:
            for one in ranks:
                one.kill()
                one.wait()
    for number, text in enumerate(said):
        answer = next((line for line in text.splitlines() if line.startswith(_ANSWER)), None)
        if answer is None:
            lines = [line for line in text.splitlines() if line.strip()][-8:]
            raise RuntimeError("\n".join([f"rank {number} left with {ranks[number].returncode}:", *lines]))
        wrong: str | None = json.loads(answer[len(_ANSWER) :])
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
    print(_ANSWER + json.dumps(f"{len(wrong)} of {_COUNT} sums are wrong." if wrong else None), flush=True)
    together.barrier()
    together.destroy_process_group()
