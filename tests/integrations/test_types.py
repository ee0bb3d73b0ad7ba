"""What a type checker sees of accel: the public names complete, and the platform over them without a complaint."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import accel
import accel.testing

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "integrations" / "accel_platform.py"
HOMES = {f"{home}." for home in (*accel._HOMES.values(), accel._ELSE, "accel.testing.simulation")}

pyright = pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed")


def printed_by(*command: str, folder: Path = ROOT) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", *command],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pyright
def test_the_types_of_the_public_names_are_complete() -> None:
    told = printed_by("--verifytypes", "accel", "--ignoreexternal")
    symbols = told["typeCompleteness"]["symbols"]
    public = [one for one in symbols if any(one["name"].startswith(home) for home in HOMES)]
    assert set(accel.__all__) <= {one["name"].rpartition(".")[2] for one in public}
    assert [one["name"] for one in public if not one["isTypeKnown"]] == []


@pyright
def test_the_platform_passes_pyright_at_its_strictest(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    settings = {"include": ["."], "typeCheckingMode": "strict", "pythonVersion": "3.10"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    told = printed_by("--pythonpath", sys.executable, folder=tmp_path)
    assert told["generalDiagnostics"] == []
    assert told["summary"]["filesAnalyzed"] == 1


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_the_platform_passes_mypy_at_its_strictest(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", EXAMPLE.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
