"""Machines for the bridges: recorded ones behind accel's functions, and a node with a fake NVML for child processes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from accel.apps import api
from accel.machine.recorded import RecordedMachine

ROOT = Path(__file__).parents[2]


@pytest.fixture
def on_machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], RecordedMachine]:
    """Make accel's functions answer of a recorded machine."""

    def put(name: str) -> RecordedMachine:
        machine = RecordedMachine(ROOT / "tests" / "machines" / name)
        monkeypatch.setattr(api, "_machine", lambda: machine)
        return machine

    return put


@pytest.fixture
def on_node(fake_nvml: Path) -> Callable[..., str]:
    """Run Python code on a simulated node, and return what it printed."""

    def run(code: str, **keys: str) -> str:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("FAKENVML_", "CUDA_", "ACCEL_"))}
        environment |= {"LD_LIBRARY_PATH": str(fake_nvml / "570"), "PYTHONUTF8": "1"}
        environment |= {name: str(value) for name, value in keys.items()}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
