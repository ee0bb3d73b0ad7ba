"""Figures that contradict each other are caught; every record of accel's own is free of it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from accel.specs.plausibility import implausible, unread

ADA = {"operations_per_multiprocessor_clock": {"fp32": 256, "fp16_tensor_acc32": 1024, "bf16": 1024, "fp8": 2048}}


def said(rates: dict[str, int], capability: dict[str, Any] | None = ADA, **facts: Any) -> list[str]:
    record = {"dense_operations_per_second": {key: value * 10**12 for key, value in rates.items()}, **facts}
    return [f"{field}: {sentence}" for field, sentence in implausible(record, capability)]


def test_a_sparse_rate_is_caught_by_the_fp32_rate() -> None:
    found = said({"fp32": 91, "fp8": 1466})
    assert len(found) == 1
    assert found[0].startswith("dense_operations_per_second.fp8: expected at most 7.28e+14")
    assert "structured sparsity" in found[0]
    assert said({"fp32": 91, "fp8": 733}) == []


def test_a_sparse_rate_is_caught_by_multiprocessors_and_clock() -> None:
    source = {"multiprocessors": 142, "boost_megahertz": 2520}
    assert said({"bf16": 362}, rates_from=source) == []
    assert "142 multiprocessors × 2520 MHz" in said({"bf16": 733}, rates_from=source)[0]


def test_one_sparse_rate_among_dense_ones_is_caught_without_any_clock() -> None:
    found = said({"fp16_tensor_acc32": 990, "bf16": 1979}, None)
    assert "is it the figure with structured sparsity?" in found[0]
    assert said({"fp16_tensor_acc32": 990, "bf16": 990}, None) == []


def test_gigabytes_per_second_are_not_taken_for_bytes() -> None:
    found = said({}, memory_bytes=80 * 2**30, memory_bandwidth_bytes_per_second=2 * 10**9)
    assert found[0].startswith("memory_bandwidth_bytes_per_second: expected bytes per second")


@pytest.mark.parametrize("rates", [{}, {"fp32": 91}, {"int8": 5}])
def test_what_cannot_be_compared_is_left_alone(rates: dict[str, int]) -> None:
    assert said(rates) == []


def test_the_module_exits_1_for_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text("a: [\n")
    command = [sys.executable, "-m", "accel.specs.validate", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "odd.yaml" in done.stdout
    assert done.stderr == ""


ROAD = {"name": "road", "released": "2020-03"}


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (
            {"memory_type": "HBM2e", "memory_bandwidth_bytes_per_second": 18 * 10**12},
            "expected at most 3.8e+12 of HBM2e",
        ),
        ({"memory_type": "GDDR5", "memory_bandwidth_bytes_per_second": 694 * 10**9}, "expected at most 6e+11 of GDDR5"),
        ({"memory_type": "GDDR7", "released": "2021-05-01"}, "expected a memory that was made in 2021"),
        ({"segment": "geforce", "tdp_watts": 1000}, "expected at most the 675 W of a slot"),
        ({"die_area_mm2": 1228, "die_count": 1}, "expected at most 858, one reticle for each of 1"),
        ({"pcie_generation": 5, "released": "2018"}, "expected one that was specified in 2018, got 5"),
        ({"released": "2019-12-31"}, "expected 2020-03 or later, when the architecture was released"),
        ({"released": "2020-02"}, "expected 2020-03 or later"),
    ],
)
def test_what_could_not_be_made_is_caught(facts: dict[str, Any], says: str) -> None:
    found = [sentence for _, sentence in implausible(facts, None, ROAD)]
    assert any(says in sentence for sentence in found)


@pytest.mark.parametrize(
    "facts",
    [
        {"memory_type": "HBM2e", "memory_bandwidth_bytes_per_second": 3277 * 10**9},
        {"memory_type": "GDDR6", "memory_bandwidth_bytes_per_second": 1500 * 10**9, "devices_per_board": 4},
        {"memory_type": "HBM", "memory_bandwidth_bytes_per_second": 8600 * 10**9},
        {"memory_type": "HBM3 or GDDR6 (reports differ)", "memory_bandwidth_bytes_per_second": 9 * 10**12},
        {"segment": "datacenter", "tdp_watts": 1400},
        {"die_area_mm2": 1600, "die_count": 2},
        {"die_area_mm2": 46225, "die_count": 1},
        {"pcie_generation": 5, "released": "2020-03"},
        {"released": "2020"},
        {"released": None, "pcie_generation": 6, "memory_type": None},
        {"released": "early 2019"},
    ],
)
def test_what_could_be_made_is_left_alone(facts: dict[str, Any]) -> None:
    assert list(implausible(facts, None, ROAD)) == []


def test_more_double_precision_than_single_is_caught() -> None:
    assert said({"fp32": 10, "fp64": 20}, None)[0].startswith(
        "dense_operations_per_second.fp64: expected at most fp32's"
    )
    assert said({"fp32": 45, "fp64": 45, "fp64_tensor": 90}, None) == []


@pytest.mark.parametrize(
    ("instances", "features", "caught"),
    [
        (7, ["tensor_cores_2"], True),
        (7, ["tensor_cores_3", "MIG (GA100)"], False),
        (0, ["tensor_cores_2"], False),
        (7, None, False),
    ],
)
def test_instances_of_an_architecture_without_mig_are_caught(
    instances: int, features: list[str] | None, caught: bool
) -> None:
    found = [field for field, _ in implausible({"mig_instances_max": instances}, None, {"features": features})]
    assert found == (["mig_instances_max"] if caught else [])


@pytest.mark.parametrize(
    ("source", "confidence", "wrong"),
    [
        ({"level": "recalled"}, "medium", True),
        ({"level": "recalled"}, "low", False),
        ({"level": "recalled", "tells": ["memory_bus_bits"]}, "medium", False),
        ({"level": "seen"}, "high", False),
    ],
)
def test_a_record_from_memory_has_a_low_confidence(source: dict[str, Any], confidence: str, wrong: bool) -> None:
    found = list(unread({"sources": ["one"], "confidence": confidence}, {"one": source}))
    assert [field for field, _ in found] == (["confidence"] if wrong else [])
