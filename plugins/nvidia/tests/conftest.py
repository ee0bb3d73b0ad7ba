"""A fake NVML for the tests of the live backend: built once per checkout, asked by child processes."""

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap
from accel.model.observation import ErrorSeen, Noted
from accel.model.report import Report

SOURCES = Path(__file__).parents[3] / "tests" / "fakenvml"
sys.path.insert(0, str(SOURCES.parent / "warm"))  # warm_accel: starts accel
CHILD = Path(__file__).parent / "nvml_child.py"


@dataclass(frozen=True)
class Answer:
    """What a child process was told: the reports of its sources."""

    reports: tuple[Report, ...]

    @property
    def nvml(self) -> Report:
        return self.reports[0]

    @property
    def devices(self) -> dict[str, Device]:
        return {d.id: d for d in self.nvml.devices if isinstance(d, Device)}

    def gaps(self, device: str | None) -> tuple[Gap, ...]:
        return tuple(gap for report in self.reports for gap in report.gaps if gap.device == device)

    @property
    def errors(self) -> tuple[ErrorSeen, ...]:
        return tuple(one for report in self.reports for one in report.observations if isinstance(one, ErrorSeen))

    def noted(self, device: str | None) -> tuple[Noted, ...]:
        told = (one for one in self.nvml.observations if isinstance(one, Noted))
        return tuple(one for one in told if one.device == device)


@pytest.fixture(scope="session")
def fake_nvml(request: pytest.FixtureRequest) -> Path:
    """The folder with the variants 470, 570 and 580 of the fake library."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("the fake NVML needs Linux and a C compiler (cc)")
    content = b"".join((SOURCES / name).read_bytes() for name in ("fakenvml.c", "build.sh"))
    folder: Path = request.config.cache.mkdir("fakenvml") / hashlib.sha256(content).hexdigest()[:16]
    if not folder.exists():
        building = folder.with_name(f"{folder.name}.{os.getpid()}")
        subprocess.run(
            ["sh", str(SOURCES / "build.sh"), str(building)],
            check=True,
            capture_output=True,
            env={**os.environ, "CC": compiler},
        )
        try:
            building.rename(folder)
        except OSError:  # another worker was first
            shutil.rmtree(building)
    return folder


@pytest.fixture(scope="session")
def child(fake_nvml: Path) -> Callable[..., Any]:
    """Run one question of nvml_child.py on a simulated node, and return its answer."""

    def run(question: str, *arguments: str, driver: str = "570", **keys: str | Mapping[str, str]) -> Any:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAKENVML_")}
        if keys.get("LATENCY_MODE") == "clock":
            environment["LD_PRELOAD"] = str(fake_nvml / driver / "libnvidia-ml.so.1")
        environment |= {"LD_LIBRARY_PATH": str(fake_nvml / driver), "FAKENVML_GPUS": "4"}
        environment |= {f"FAKENVML_{key}": str(value) for key, value in keys.items()}
        done = subprocess.run(
            [sys.executable, str(CHILD), question, *arguments],
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return pickle.loads(done.stdout)  # written by our own child

    return run


@pytest.fixture(scope="session")
def probe(child: Callable[..., Any]) -> Callable[..., Answer]:
    """Probe a simulated node in an isolated worker, as the command line does."""

    def run(depth: str = "devices", driver: str = "570", **keys: str) -> Answer:
        return Answer(reports=child("probe", depth, driver=driver, **keys))

    return run
