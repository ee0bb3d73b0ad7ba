"""A short run of the soak: nothing grows, nothing differs, nothing is raised. The long one is started by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SOAK = Path(__file__).parents[3] / "benchmarks" / "soak.py"


def test_calls_from_threads_forks_and_under_signals_agree_and_leave_nothing(fake_nvml: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAKENVML_")}
    environment |= {"LD_LIBRARY_PATH": str(fake_nvml / "570"), "FAKENVML_GPUS": "4", "FAKENVML_PIDS": "11:1,12:1"}
    words = ("--calls", "160", "--minutes", "0.2", "--ways", "threads,signals,fork")
    done = subprocess.run(
        [sys.executable, str(SOAK), *words], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("differing: none   raised: 0") == 3
