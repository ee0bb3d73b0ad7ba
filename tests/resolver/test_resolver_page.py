"""The page of the resolvers: what it says of accel is what accel says."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.slow
def test_the_figures_and_answers_of_the_page_are_those_of_today() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "further_page.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr or "write it anew: python benchmarks/further_page.py"
