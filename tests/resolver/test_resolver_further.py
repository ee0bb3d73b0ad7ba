"""The further machines of the benchmark: other packages, implied hosts, pins; their answers were written by hand."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from accel.cli import main

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def _further() -> ModuleType:
    spec = importlib.util.spec_from_file_location("resolvers_further", BENCHMARKS / "resolvers/further.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FURTHER = _further()
TRUTH = yaml.safe_load((BENCHMARKS / "resolve_further.yaml").read_text(encoding="utf-8"))
MACHINES: dict[str, dict[str, Any]] = TRUTH["machines"]


@pytest.mark.parametrize("name", MACHINES)
def test_the_answer_is_the_one_that_was_written_by_hand(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = MACHINES[name]
    code = main(["resolve", *FURTHER.words_of(machine), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert list(FURTHER.problems_of(machine, answer)) == []
    assert code == (1 if "nothing" in machine else 0)


def test_every_machine_names_its_sources_and_a_wrong_answer_is_seen() -> None:
    assert len(MACHINES) == 121
    for machine in MACHINES.values():
        assert machine["why"]
        assert set(machine["from"]) <= set(TRUTH["sources"])
    nothing = {"machine": "linux_x86_64", "chosen": [], "rejected": [], "upgrade": [], "notes": [], "command": None}
    for machine in MACHINES.values():
        assert list(FURTHER.problems_of(machine, nothing))
