"""A simulated node for the commands that choose devices, with a folder of leases of its own."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import warm_accel

Command = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def node(fake_nvml: Path, tmp_path: Path) -> Mapping[str, str]:
    """Return the environment of a node with 8 idle, empty H100."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FAKENVML_", "CUDA_", "ACCEL_", "COV_"))}
    return {
        **kept,
        "LD_LIBRARY_PATH": str(fake_nvml / "570"),
        "ACCEL_LEASES": str(tmp_path / "leases"),
        "FAKENVML_GPUS": "8",
        "FAKENVML_PROCS": "0",
        "FAKENVML_UTIL": "0",
        "FAKENVML_MEM_USED": "1",
    }


@pytest.fixture
def started(node: Mapping[str, str]) -> Command:
    """Start accel on the node; its stdin stays open until `communicate`."""

    def start(*words: str, **variables: str) -> "subprocess.Popen[str]":
        return warm_accel.started(*words, environment={**node, **variables})

    return start


@pytest.fixture
def accel(started: Command) -> "Callable[..., subprocess.CompletedProcess[str]]":
    """Run accel on the node to its end."""

    def run(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        child = started(*words, **variables)
        out, errors = child.communicate(timeout=60)
        return subprocess.CompletedProcess(words, child.returncode, out, errors)

    return run
