"""Processes that take part in a collective, each of them this Python with a rank."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import Any, Callable, Iterator  # noqa: UP035  (Python 3.8)

ANSWER = "accel-rank "
LIBRARIES = {"cuda": "nccl", "npu": "hccl", "xpu": "xccl", "mlu": "cncl", "cpu": "gloo"}
_RANK = """
import importlib, importlib.util, json, sys
place = sys.argv[1]
made = importlib.util.spec_from_file_location(
    "accel_programs", place + "/__init__.py", submodule_search_locations=[place]
)
package = sys.modules["accel_programs"] = importlib.util.module_from_spec(made)
made.loader.exec_module(package)
importlib.import_module("accel_programs." + sys.argv[2]).rank(json.loads(sys.argv[3]))
"""


@contextmanager
def ranks(
    program: str, row: dict[str, Any], stderr: Callable[[int], int | None], **more: Any
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start `rank` of a program of this folder once for each of row["devices"]; end them all at the end.

    stderr  where the standard error of a rank goes
    """
    environment = dict(os.environ)
    if row["devices"][0] == "cpu":
        environment.setdefault("GLOO_SOCKET_IFNAME", "lo")  # otherwise it resolves the host name, which may fail
    with tempfile.TemporaryDirectory(prefix="accel-ranks-") as place:
        command = [sys.executable, "-u", "-c", _RANK, os.path.dirname(os.path.abspath(__file__)), program]
        row = {**row, "meet": os.path.join(place, "meet")}
        started = [
            subprocess.Popen(
                [*command, json.dumps({**row, "rank": number})],
                stdout=subprocess.PIPE,
                stderr=stderr(number),
                env=environment,
                text=True,
                **more,
            )
            for number in range(len(row["devices"]))
        ]
        try:
            yield started
        finally:
            for one in started:
                one.kill()
                one.wait()
