"""What the commands say on simulated nodes with faults (sick_nodes.yaml): the whole way, as a user types them."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import warm_accel

from accel.specs.store import parse

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

NODES: dict[str, Any] = parse(str(Path(__file__).with_name("sick_nodes.yaml")))
WORDS = {
    "devices": ["devices"],
    "doctor": ["doctor", "--verbose"],  # with what is only noted
    "watch": ["watch", "--count", "3", "--interval", "0.2"],
    "ps": ["ps"],
    "pick": ["pick"],
}


@pytest.fixture
def accel(fake_nvml: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run accel on a simulated node of four idle GPUs."""

    def run(node: dict[str, Any], *words: str) -> subprocess.CompletedProcess[str]:
        unset = ("FAKENVML_", "CUDA_", "NVIDIA_", "PYTHONWARNINGS")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
        environment |= {"LD_LIBRARY_PATH": str(fake_nvml / "570"), "COLUMNS": "160"}
        environment |= {f"FAKENVML_{key}": str(value) for key, value in ({"GPUS": 4, "PROCS": 0} | node).items()}
        return warm_accel.run(*words, environment=environment)

    return run


@pytest.mark.parametrize("name", NODES)
def test_each_command_says_what_was_written_down_before(
    name: str, accel: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    node = NODES[name]["node"]
    for command, expected in NODES[name].items():
        if command == "node":
            continue
        done = accel(node, *WORDS[command])
        printed = done.stdout + done.stderr
        assert "Traceback" not in printed
        assert [words for words in expected.get("shows", ()) if words not in printed] == [], printed
        assert [words for words in expected.get("hides", ()) if words in printed] == [], printed
        if "exit" in expected:
            assert done.returncode == expected["exit"], printed
        for code in (*expected.get("finds", ()), *expected.get("silent", ())):
            assert (f"[{code} " in printed) == (code in expected.get("finds", ())), (code, printed)
        if "picks" in expected:
            ids = json.loads(accel(node, "pick", "--json").stdout)["devices"]
            assert ids == [f"nvidia:{expected['picks']}"]
