"""What NVML tells is the same by each of its calls, and partitions are devices with a parent."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # processes


def test_partitions_are_devices_with_a_parent(probe: Callable[..., Any]) -> None:
    devices = probe("health", MIG_GPUS="2", MIG_PROFILES="3g.40gb,1g.10gb").devices
    whole, first, second = devices["nvidia:2"], devices["nvidia:2/mig0"], devices["nvidia:2/mig1"]
    assert (whole.mig_mode, whole.mig_profile) == ("enabled", None)
    assert (first.parent, first.mig_profile, first.gpu_instance_id) == ("nvidia:2", "3g.40gb", 1)
    assert (second.index, second.mig_profile, second.gpu_instance_id) == (1, "1g.10gb", 2)
    assert first.uuid.startswith("MIG-")
    assert first.memory_total_bytes == 40448 * 1024**2
    assert first.pci_address == whole.pci_address
    assert len(first.processes) == 1


def test_partitions_stand_below_their_parent(child: Callable[..., Any]) -> None:
    merged = child("merged", MIG_GPUS="2", MIG_PROFILES="3g.40gb,1g.10gb")
    assert merged == ["nvidia:0", "nvidia:1", "nvidia:2", "nvidia:2/mig0", "nvidia:2/mig1", "nvidia:3"]


_TOLD = {
    "ECC_VOL_COR": "11",
    "ECC_VOL_UNC": "2",
    "ECC_AGG_COR": "33",
    "ECC_AGG_UNC": "4",
    "REMAP_COR": "5",
    "REMAP_UNC": "6",
    "REMAP_PENDING": "1",
    "PCIE_REPLAY": "7",
    "NVLINK_ACTIVE_1": "17",
    "RETIRED_SBE": "3",
    "RETIRED_DBE": "1",
    "PIDS": "1:10",
}
_COUNTED = {
    *("energy_joules", "pcie_corrected_errors", "pcie_nonfatal_errors", "pcie_fatal_errors"),
    *("pcie_sent_bytes", "pcie_received_bytes", "nvlink_sent_bytes", "nvlink_received_bytes"),
}


@pytest.mark.parametrize("driver", ["570", "580"])
def test_fields_in_one_call_tell_what_each_fact_s_own_call_tells(driver: str, probe: Callable[..., Any]) -> None:
    told = probe("health", driver, **_TOLD)
    alone = probe("health", driver, FAULT="nvmlDeviceGetFieldValues=13", **_TOLD)
    of_fields_alone = {"memory_temperature_celsius", "recovery_action", "health", "nvlinks", *_COUNTED}
    for one, other in zip(told.devices.values(), alone.devices.values(), strict=True):
        names = {field.name for field in fields(one)} - of_fields_alone
        assert {name: getattr(one, name) for name in names} == {name: getattr(other, name) for name in names}
        assert [(n.index, n.active, n.version) for n in one.nvlinks] == [
            (n.index, n.active, n.version) for n in other.nvlinks
        ]
    assert told.devices["nvidia:0"].ecc_corrected_aggregate == 33
    assert [link.index for link in told.devices["nvidia:1"].nvlinks if not link.active] == [17]
