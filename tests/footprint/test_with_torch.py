"""What accel.fit says of torch's modules, against torch itself: with a Python that has torch and transformers.

ACCEL_FRAMEWORKS names that Python; without it nothing here runs. saved.jsonl, which needs no torch to be compared,
holds what frameworks/saved.py printed with torch 2.13.0 and transformers 5.24.0.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from accel.apps import api
from accel.footprint.activations import layer_activations
from accel.footprint.config import shape_of
from accel.footprint.model import Plan

_HERE = Path(__file__).parent
_PYTHON = os.environ.get("ACCEL_FRAMEWORKS")
_with_torch = pytest.mark.skipif(not _PYTHON, reason="ACCEL_FRAMEWORKS names no Python with torch and transformers")


def _rows(program: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [str(_PYTHON), str(_HERE / "frameworks" / program)],
        env={**os.environ, "PYTHONPATH": str(_HERE.parents[1] / "src")},
        stdout=subprocess.PIPE,
        text=True,
        timeout=240,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _computed(row: dict[str, Any]) -> float:
    size = 4 if row["dtype"] == "float32" else 2
    plan = Plan(
        train="lora" if row["lora_targets"] else "full",
        lora_targets=row["lora_targets"],
        context=row["context"],
        batch=row["batch"],
        attention="eager" if row["attention"] == "eager" else "flash",
    )
    return layer_activations(shape_of(row["config"], api._specs()), plan, row["context"], size)


def test_a_layer_keeps_what_torch_saves_of_it_for_the_backward_pass() -> None:
    rows = [json.loads(line) for line in (_HERE / "saved.jsonl").read_text().splitlines()]
    assert len(rows) >= 22
    for row in rows:
        # 8 %: GPT-2 copies queries, keys and values where torch's own attention reads them
        assert _computed(row) == pytest.approx(row["layer_bytes"], rel=0.08), row


@_with_torch
def test_the_stored_figures_are_those_that_torch_gives() -> None:
    for row in _rows("saved.py"):
        assert _computed(row) == pytest.approx(row["layer_bytes"], rel=0.08), row


@_with_torch
def test_a_traced_module_holds_what_a_process_then_holds() -> None:
    rows = _rows("held.py")
    assert len(rows) == 6
    for row in rows:
        assert row["unchanged"], row
        assert row["flops"] > 0, row
        assert row["without_memory"] == row["traced"], row  # built on the meta device
        if row["name"] == "convolution":  # its kernels have copies beside tensors: the band holds them
            assert row["traced"] <= row["held"] <= row["traced"] + row["spread"], row
        else:
            assert row["traced"] == pytest.approx(row["held"], rel=0.03), row
