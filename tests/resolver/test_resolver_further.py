"""The further machines of the benchmark: other packages, implied hosts, pins; their answers were written by hand."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from accel.apps.cli import main
from accel.specs.store import parse

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
TRUTHS = [
    parse(str(BENCHMARKS / file))
    for file in (
        "resolve_further.yaml",
        "resolve_fresh.yaml",
        "resolve_spoken.yaml",
        "resolve_whatif.yaml",
        "resolve_asked.yaml",
        "resolve_wishes.yaml",
    )
]
MACHINES: dict[str, dict[str, Any]] = {name: m for truth in TRUTHS for name, m in truth["machines"].items()}


@pytest.mark.parametrize("name", MACHINES)
def test_the_answer_is_the_one_that_was_written_by_hand(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = MACHINES[name]
    code = main(["resolve", *FURTHER.words_of(machine), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert list(FURTHER.problems_of(machine, answer)) == []
    assert code == (1 if "nothing" in machine else 0)


def test_every_machine_names_its_sources_and_a_wrong_answer_is_seen() -> None:
    assert len(MACHINES) == 712
    for truth in TRUTHS:
        for machine in truth["machines"].values():
            assert machine["why"]
            assert set(machine["from"]) <= set(truth["sources"])
    lists = {name: [] for name in ("chosen", "rejected", "upgrade", "notes", "assumed")}
    nothing = {"machine": "linux_x86_64", "command": None, **lists}
    for machine in MACHINES.values():
        assert list(FURTHER.problems_of(machine, nothing))


def test_a_pin_that_no_table_has_is_refused_and_a_post_release_stands_for_its_release(
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine = ["--gpu", "A100", "--driver", "535.104.05", "--python", "3.11", "--os", "linux"]
    assert main(["resolve", "vllm==0.6.4", *machine]) == 2
    assert "vllm==0.6.4 is in no table, and not judged. Known near it: 0.6.6" in capsys.readouterr().err
    assert main(["resolve", "vllm==0.6.3", *machine]) == 0
    assert "vllm==0.6.3" in capsys.readouterr().out
