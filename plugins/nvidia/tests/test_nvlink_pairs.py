"""Which GPUs NVLink joins: directly, through switches, and where the driver does not tell the other end."""

from collections.abc import Callable
from typing import Any

import pytest
from accel_nvidia.model import NvidiaDevice, NvLink
from accel_nvidia.nvlink_pairs import nvlink_pairs


def gpu(index: int, links: list[dict[str, Any]], **facts: Any) -> NvidiaDevice:
    made = tuple(NvLink(index=number, **{"active": True, **link}) for number, link in enumerate(links))
    return NvidiaDevice(
        id=f"nvidia:{index}", index=index, backend="nvidia", vendor="NVIDIA", kind="gpu",
        pci_address=f"0000:0{index}:00.0", nvlinks=made, **facts,
    )  # fmt: skip


def pairs(*gpus: NvidiaDevice) -> set[str]:
    return {f"{link.one} {link.other} {link.path}" for link in nvlink_pairs(gpus)}


def to(index: int, count: int) -> list[dict[str, Any]]:
    return [{"remote_pci_address": f"0000:0{index}:00.0"}] * count


SWITCH: list[dict[str, Any]] = [{"to_switch": True}]


def test_a_bridge_joins_two_by_as_many_links_as_it_has() -> None:
    assert pairs(gpu(0, to(1, 4)), gpu(1, to(0, 4)), gpu(2, [])) == {"nvidia:0 nvidia:1 NV4"}


def test_a_mesh_has_its_own_count_for_each_pair() -> None:
    found = pairs(gpu(0, to(1, 2) + to(2, 1)), gpu(1, to(0, 2)), gpu(2, to(0, 1)))
    assert found == {"nvidia:0 nvidia:1 NV2", "nvidia:0 nvidia:2 NV1"}


def test_behind_switches_a_pair_has_the_links_of_the_gpu_that_has_fewer() -> None:
    found = pairs(gpu(0, SWITCH * 18), gpu(1, SWITCH * 18), gpu(2, SWITCH * 16))
    assert found == {"nvidia:0 nvidia:1 NV18", "nvidia:0 nvidia:2 NV16", "nvidia:1 nvidia:2 NV16"}


def test_an_older_driver_shows_a_switch_by_the_address_that_several_gpus_share() -> None:
    ends = [{"remote_pci_address": f"0000:c{number}:00.0"} for number in (4, 5, 6)] * 4
    assert pairs(gpu(0, ends), gpu(1, ends)) == {"nvidia:0 nvidia:1 NV12"}


def test_links_whose_end_is_not_told_count_only_in_a_fabric() -> None:
    assert pairs(gpu(0, [{}] * 18), gpu(1, [{}] * 18)) == set()
    inside = {"fabric_state": "completed"}
    assert pairs(gpu(0, [{}] * 18, **inside), gpu(1, [{}] * 18, **inside)) == {"nvidia:0 nvidia:1 NV18"}


def test_links_that_are_down_do_not_count() -> None:
    down: list[dict[str, Any]] = [{"active": False, "remote_pci_address": None}]
    assert pairs(gpu(0, to(1, 3) + down), gpu(1, to(0, 3) + down)) == {"nvidia:0 nvidia:1 NV3"}


@pytest.mark.parametrize("driver", ["570", "580"])
def test_nvml_tells_switches_without_a_call_for_each_link(driver: str, child: Callable[..., Any]) -> None:
    reports, told, _, _ = child("steps", "health", GPUS="8")
    assert {link.path for link in reports[0].links} == {"NV18"}
    assert len(reports[0].links) == 28
    assert "nvmlDeviceGetNvLinkRemotePciInfo" not in {call for call, _ in told}


def test_nvml_tells_pairs_that_a_bridge_joins(probe: Callable[..., Any]) -> None:
    peers = {"NVLINK_PEER_0": "1", "NVLINK_PEER_1": "0", "NVLINK_PEER_2": "3", "NVLINK_PEER_3": "2"}
    links = probe("health", GPUS="4", NVLINKS="12", NVLINK_ACTIVE="12", **peers).nvml.links
    assert [(link.one, link.other, link.path) for link in links] == [
        ("nvidia:0", "nvidia:1", "NV12"),
        ("nvidia:2", "nvidia:3", "NV12"),
    ]


def test_a_list_of_devices_asks_for_no_link(probe: Callable[..., Any]) -> None:
    assert probe("devices", GPUS="4").nvml.links == ()
