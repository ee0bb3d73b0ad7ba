"""Machines for the bridges: recorded ones behind accel's functions, and a node with a fake NVML for child processes."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from accel import api
from accel.machine.recorded import RecordedMachine

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "fakenvml"


@pytest.fixture
def on_machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], RecordedMachine]:
    """Make accel's functions answer of a recorded machine."""

    def put(name: str) -> RecordedMachine:
        machine = RecordedMachine(ROOT / "tests" / "machines" / name)
        monkeypatch.setattr(api, "_machine", lambda: machine)
        return machine

    return put


@pytest.fixture(scope="session")
def fake_nvml(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the variants 470, 570 and 580 of the fake library, shared with the tests of its plugin."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("the fake NVML needs Linux and a C compiler (cc)")
    content = b"".join((SOURCES / name).read_bytes() for name in ("fakenvml.c", "build.sh"))
    cache = getattr(request.config, "cache", None)  # pytest runs without it too
    home = cache.mkdir("fakenvml") if cache is not None else tmp_path_factory.mktemp("fakenvml")
    folder: Path = home / hashlib.sha256(content).hexdigest()[:16]
    if not folder.exists():
        building = folder.with_name(f"{folder.name}.{os.getpid()}")
        command = ["sh", str(SOURCES / "build.sh"), str(building)]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "CC": compiler})
        try:
            building.rename(folder)
        except OSError:  # another worker was first
            shutil.rmtree(building)
    return folder


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
