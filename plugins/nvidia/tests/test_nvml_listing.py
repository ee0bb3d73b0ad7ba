"""The listing without records: the values of the probe, or nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # processes

_UNSUPPORTED = "nvmlDeviceGetPowerUsage=3,gpu=1;nvmlDeviceGetSerial=3,gpu=1;nvmlDeviceGetUtil*=3,gpu=2"


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"GPUS": "1"},
        {"FAULT": _UNSUPPORTED},
        {"CLK_EVENT": "0", "ECC_VOL_UNC_1": "3"},
        {"TEMP_3": "N/A"},
    ],
)
@pytest.mark.parametrize("mask", [None, "1,0", "GPU-", "7"])
def test_rows_are_what_the_probe_reports(
    child: Callable[..., Any], keys: dict[str, str], mask: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mask is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", mask)
    rows, report, took_pynvml = child("listed", **keys)
    assert rows is not None
    assert not took_pynvml
    assert json.dumps(rows["devices"]) == json.dumps(report["devices"])
    assert rows["gaps"] == report["gaps"]
    assert rows["source"] == report["source"]


@pytest.mark.parametrize("driver", ["470", "580"])
def test_an_older_and_a_newer_driver_are_listed(child: Callable[..., Any], driver: str) -> None:
    rows, report, took_pynvml = child("listed", driver=driver)
    assert json.dumps(rows["devices"]) == json.dumps(report["devices"])
    assert rows["gaps"] == report["gaps"]
    assert not took_pynvml


@pytest.mark.parametrize(
    "keys",
    [
        {"FAULT": "nvmlInit*=18"},
        {"FAULT": "nvmlDevice*=15,gpu=2"},
        {"FAULT": "nvmlDeviceGetPowerUsage=999,gpu=2"},
        {"FAULT": "nvmlDeviceGetHandleByIndex*=4,gpu=2"},
        {"FAULT": "nvmlDeviceGetPciInfo*=3,gpu=2"},
        {"FAULT": "nvmlSystemGetNVMLVersion=999"},
        {"MIG_GPUS": "1"},
        {"GPUS": "0"},
    ],
)
def test_what_is_out_of_the_ordinary_is_left_to_the_probe(child: Callable[..., Any], keys: dict[str, str]) -> None:
    assert child("listed", **keys)[0] is None
