"""The further machines of the benchmark: other packages, implied hosts, pins; their answers were written by hand."""

import importlib
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from shared_parts import Each

from accel.apps.cli import main
from accel.specs.store import parse

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
PAGE, FURTHER = (importlib.import_module(name) for name in ("further_page", "resolvers.further"))
sys.path.remove(str(BENCHMARKS))
TRUTHS = [parse(str(BENCHMARKS / file)) for file in PAGE.beside.FILES]
MACHINES: dict[str, dict[str, Any]] = {name: m for truth in TRUTHS for name, m in truth["machines"].items()}
NAMES: Final = tuple(MACHINES)
ANSWERS: Final[Each[Any]] = Each("resolver", len(NAMES), lambda number: PAGE.asked(MACHINES[NAMES[number]]))


@pytest.mark.parametrize("name", MACHINES)
def test_the_answer_is_the_one_that_was_written_by_hand(name: str) -> None:
    machine = MACHINES[name]
    code, answer, complaint = ANSWERS[NAMES.index(name)]
    assert answer is not None, complaint
    assert list(FURTHER.problems_of(machine, answer)) == []
    assert code == (1 if "nothing" in machine else 0)


@pytest.mark.slow
def test_the_figures_and_answers_of_the_page_are_those_of_today() -> None:
    written = PAGE.written(lambda name, machine: ANSWERS[NAMES.index(name)])
    assert written == PAGE.PAGE.read_text(encoding="utf-8"), "write it anew: python benchmarks/further_page.py"


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
    assert main(["resolve", "vllm==0.6.7", *machine]) == 2
    assert (
        "vllm==0.6.7 is in no table, so it was not evaluated. Known versions near it: 0.7.0" in capsys.readouterr().err
    )
    assert main(["resolve", "vllm==0.6.3", *machine]) == 0
    assert "vllm==0.6.3" in capsys.readouterr().out
