"""torch and JAX for real, on the CPU, through the Python that ACCEL_FRAMEWORKS names; skipped without it."""

import json
import os
import subprocess
import sys

import pytest

from accel.apps import bench as benches

PYTHON = os.environ.get("ACCEL_FRAMEWORKS", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="ACCEL_FRAMEWORKS names no Python with torch and JAX")


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_every_measure_of_the_processor_has_a_figure(framework: str, tmp_path: object) -> None:
    made = benches.run(
        "cpu:0", quick=True, python=PYTHON, framework=framework, deadline_seconds=60, storage=str(tmp_path)
    )
    assert made.ended_by is None
    assert [one.name for one in made.frameworks] == [framework]
    states = {one.name: one.state for one in made.measures}
    assert {name for name, state in states.items() if state == "failed"} == set()
    assert {"matmul fp32", "matmul bf16", "memory triad", "launch"} <= {n for n, s in states.items() if s == "measured"}
    read, triad = (next(one for one in made.measures if one.name == f"memory {what}") for what in ("read", "triad"))
    assert 1e8 < (read.value or 0) < 1e13
    assert 1e8 < (triad.value or 0) < 1e13


def test_processes_of_torch_reduce_together() -> None:
    made = benches.run("cpu:0", python=PYTHON, framework="torch", only=("collective",), deadline_seconds=90)
    (one,) = made.measures
    assert (one.name, one.state) == ("all-reduce", "measured"), one.reason
    assert "gloo, 2 processes" in (one.way or "")


_TIMED = """
import json, sys, torch, jax, jax.numpy
sys.path += json.loads(sys.argv[1])
import accel
a, x = torch.ones(64, 64), jax.numpy.ones((64, 64))
multiply = jax.jit(lambda x: x @ x)
told = [accel.bench.timed(fn, seconds=0.1) for fn in (lambda: a @ a, lambda: multiply(x), lambda: {"y": [a + 1]})]
print(json.dumps([[one.device, one.waited_by, one.seconds] for one in told]))
"""


def test_a_function_of_either_framework_is_waited_for_as_it_demands() -> None:
    done = subprocess.run(
        [PYTHON, "-c", _TIMED, json.dumps([path for path in sys.path if path])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [device for device, _, _ in told] == ["cpu", "cpu", "cpu"]
    assert told[1][1] == "jax.block_until_ready"
    assert all(0 < seconds < 1 for _, _, seconds in told)
