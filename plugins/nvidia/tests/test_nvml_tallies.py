"""Errors by the kind of memory, energy, traffic and the InfoROM, as NVML tells them."""

from collections.abc import Callable
from typing import Any

import pytest
from accel_nvidia.model import EccCount

pytestmark = pytest.mark.slow  # processes


def test_errors_are_told_by_the_kind_of_memory(probe: Callable[..., Any]) -> None:
    fields = {"FIELD_11": "7", "FIELD_12": "1", "FIELD_22": "70", "FIELD_23": "10"}
    device = probe("health", SRAM_AGG_UNC="5", SRAM_VOL_UNC="2", SRAM_THRESHOLD_1="1", **fields).devices["nvidia:1"]
    assert device.ecc_counts == (
        EccCount(memory="sram", corrected_volatile=0, uncorrected_volatile=2, corrected_aggregate=0,
                 uncorrected_aggregate=5),
        EccCount(memory="dram", corrected_volatile=7, uncorrected_volatile=1, corrected_aggregate=70,
                 uncorrected_aggregate=10),
    )  # fmt: skip
    assert device.sram_threshold_exceeded is True


def test_a_driver_without_the_call_costs_that_count_alone(probe: Callable[..., Any]) -> None:
    answer = probe("health", "470")
    device = answer.devices["nvidia:0"]
    assert (device.ecc_counts, device.sram_threshold_exceeded) == (None, None)
    assert device.ecc_uncorrected_volatile == 0
    assert not [gap for gap in answer.gaps("nvidia:0") if "ecc_counts" in gap.fact]


def test_traffic_and_energy_are_counts_since_the_driver_was_loaded(probe: Callable[..., Any]) -> None:
    told = {"FIELD_83": "12345678", "FIELD_138": "3", "FIELD_139": "4", "FIELD_197": "5000", "FIELD_198": "6000"}
    device = probe("health", **told).devices["nvidia:0"]
    assert device.energy_joules == pytest.approx(12345.678)
    assert (device.nvlink_sent_bytes, device.nvlink_received_bytes) == (3 * 1024, 4 * 1024)
    assert (device.pcie_sent_bytes, device.pcie_received_bytes) == (5000, 6000)


def test_energy_is_asked_for_by_its_own_call_where_the_fields_do_not_tell_it(probe: Callable[..., Any]) -> None:
    device = probe("health", FIELD_83="E3", POWER="100000").devices["nvidia:0"]
    assert device.energy_joules is not None
    assert device.energy_joules > 0


def test_the_temperature_that_a_board_may_have_in_operation_is_read(probe: Callable[..., Any]) -> None:
    answer = probe("health", TEMP_MAX="85", TEMP_SLOWDOWN="90")
    device = answer.devices["nvidia:0"]
    assert (device.operating_celsius, device.slowdown_celsius) == (85, 90)
    without = probe("health", TEMP_MAX="-1")
    assert without.devices["nvidia:0"].operating_celsius is None
    assert any("operating_celsius" in gap.fact for gap in without.gaps("nvidia:0"))


def test_a_board_without_a_count_has_none_and_not_zero(probe: Callable[..., Any]) -> None:
    no_energy = {"FIELD_83": "E3", "FAULT": "nvmlDeviceGetTotalEnergyConsumption=3"}
    device = probe("health", **no_energy, FIELD_197="E3", FIELD_180="E3").devices["nvidia:0"]
    assert (device.energy_joules, device.pcie_sent_bytes, device.pcie_fatal_errors) == (None, None, None)


def test_an_inforom_whose_checksums_are_wrong_is_told_of_its_board(probe: Callable[..., Any]) -> None:
    answer = probe("health", FAULT="nvmlDeviceValidateInforom=14,gpu=1")
    assert {name: device.inforom_valid for name, device in answer.devices.items()} == {
        "nvidia:0": True,
        "nvidia:1": False,
        "nvidia:2": True,
        "nvidia:3": True,
    }
    assert answer.devices["nvidia:0"].inforom_version == "G520.0200.00.05"
    assert [(error.code, error.device) for error in answer.errors] == [("14", "nvidia:1")]


def test_an_inforom_that_cannot_be_validated_is_not_known(probe: Callable[..., Any]) -> None:
    assert probe("health", FAULT="nvmlDeviceValidateInforom=3").devices["nvidia:0"].inforom_valid is None


def test_gpus_of_one_fabric_have_its_cluster_and_clique(probe: Callable[..., Any]) -> None:
    devices = probe("health").devices.values()
    assert len({(device.fabric_cluster_uuid, device.fabric_clique_id) for device in devices}) == 1
    assert len(next(iter(devices)).fabric_cluster_uuid) == 36
