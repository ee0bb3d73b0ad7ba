"""One node with many illnesses at once: each shows on its own device, and no other device catches it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

SCENARIO = Path(__file__).parents[3] / "tests" / "fakenvml" / "scenarios" / "sick_node.txt"

SHOWN: dict[str, dict[str, Any]] = {
    "nvidia:0": {"health": "ok", "clock_event_reasons": (), "fabric_state": "completed", "recovery_action": "none"},
    "nvidia:1": {
        "health": "warning",
        "temperature_celsius": 91.0,
        "slowdown_celsius": 89.0,
        "clock_event_reasons": ("sw-thermal-slowdown", "hw-thermal-slowdown"),
    },
    "nvidia:2": {
        "health": "critical",
        "ecc_uncorrected_volatile": 3,
        "ecc_uncorrected_aggregate": 7,
        "remap_pending": True,
        "remapped_rows_uncorrected": 1,
    },
    "nvidia:3": {
        "health": "critical",
        "remap_failed": True,
        "retired_pages_double_bit": 2,
        "retired_pages_single_bit": 0,
        "retirement_pending": True,
    },
    "nvidia:4": {
        "health": "ok",
        "pcie_generation_current": 1,
        "pcie_generation_maximum": 5,
        "pcie_width_current": 4,
        "pcie_width_maximum": 16,
        "pcie_replay_count": 9000,
    },
    "nvidia:5": {"health": "ok", "fabric_state": "in-progress"},
    "nvidia:6": {
        "health": "critical",
        "recovery_action": "gpu-reset",
        "clock_event_reasons": ("sw-power-cap",),
        "power_limit_watts": 300.0,
        "power_default_watts": 700.0,
        "compute_mode": "exclusive-process",
        "persistence_mode": False,
    },
    "nvidia:7": {"health": "critical", "uuid": None},
}


@pytest.mark.parametrize("driver", ["570", "580"])
def test_each_illness_shows_on_its_own_device(driver: str, probe: Callable[..., Any]) -> None:
    devices = probe("health", driver, SCENARIO=str(SCENARIO), GPUS="8").devices
    assert {i: {fact: getattr(devices[i], fact) for fact in facts} for i, facts in SHOWN.items()} == SHOWN


def test_links_that_are_down_or_err_are_told_apart(probe: Callable[..., Any]) -> None:
    devices = probe("health", SCENARIO=str(SCENARIO), GPUS="8").devices
    links = devices["nvidia:5"].nvlinks
    assert [link.index for link in links if not link.active] == [16, 17]
    assert [link.index for link in links if link.crc_errors or link.replay_errors or link.recovery_errors] == [0]
    assert links[0].crc_errors == 1234
    assert all(link.active and not link.crc_errors for link in devices["nvidia:0"].nvlinks)
    assert {link.version for link in devices["nvidia:0"].nvlinks} == {4}


def test_unlike_boards_are_told_apart(probe: Callable[..., Any]) -> None:
    devices = probe("health", SCENARIO=str(SCENARIO.with_name("mixed_node.txt"))).devices
    assert [d.architecture for d in devices.values() if d.parent is None] == ["hopper", "ampere", "blackwell", "hopper"]
    small = devices["nvidia:2"]
    assert (small.compute_capability, small.memory_total_bytes, small.nvlinks) == ("12.1", None, ())
    assert (small.fabric_state, small.mig_mode, small.ecc_enabled) == (None, None, None)
    assert len([d for d in devices.values() if d.parent == "nvidia:3"]) == 3
