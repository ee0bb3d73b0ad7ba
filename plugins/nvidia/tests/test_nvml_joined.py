"""What a topology asks of NVML: links, peer access, who each GPU is; and the slices and virtual GPUs of a board."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

VGPUS = "NVIDIA H100-10C:10240:5120:7c1de1a2-0000-4000-8000-00000000a001, NVIDIA H100-20C:20480:0:vm-2"


def test_a_topology_asks_for_links_and_says_nothing_else(child: Callable[..., Any]) -> None:
    (report,), calls = child("joined", GPUS="8")
    assert [(d.id, d.uuid is not None, d.pci_address is not None) for d in report.devices] == [
        (f"nvidia:{n}", True, True) for n in range(8)
    ]
    assert len(report.links) == len(report.peers) == 8 * 7 / 2
    assert {link.path for link in report.links} == {"NV18"}
    assert {link.bytes_per_second for link in report.links} == {18 * 26_562_000_000}
    assert report.linked == tuple(f"nvidia:{n}" for n in range(8))
    assert {(d.health, d.memory_total_bytes, d.processes) for d in report.devices} == {("unknown", None, None)}
    assert {link.crc_errors for d in report.devices for link in d.nvlinks} == {None}
    assert calls[0] <= 8 * 13 + 28 + 6
    assert calls[1] <= 8 * 7 + 28 + 6  # who each is, is remembered


def test_a_gpu_that_takes_the_place_of_another_is_known_as_itself(child: Callable[..., Any]) -> None:
    first, second = child("replaced", GPUS="2")
    assert first[1].uuid != second[1].uuid
    assert (first[1].name, second[1].name) == ("NVIDIA H100 80GB HBM3", "NVIDIA H200")
    assert (first[0].uuid, first[0].name) == (second[0].uuid, second[0].name)


def test_boards_without_links_have_none_and_that_is_known(child: Callable[..., Any]) -> None:
    (report,), _ = child("joined", GPUS="2", NVLINKS="0")
    assert (report.links, report.linked) == ((), ("nvidia:0", "nvidia:1"))


def test_links_that_were_not_told_are_not_known(child: Callable[..., Any]) -> None:
    fault = "nvmlDeviceGetFieldValues=4; nvmlDeviceGetNvLinkState=4"
    (report,), _ = child("joined", GPUS="2", FAULT=fault)
    assert report.linked == ()
    assert "nvlinks" in {gap.fact for gap in report.gaps}


@pytest.mark.parametrize(
    ("status", "allowed", "says"),
    [
        ("0", True, "OK"),
        ("1", False, "chipset not supported"),
        ("2", False, "GPU not supported"),
        ("3", False, "topology not supported"),
        ("4", False, "disabled by a registry key"),
        ("5", False, "not supported"),
    ],
)
def test_the_drivers_answer_of_each_pair_is_told(
    status: str, allowed: bool, says: str, child: Callable[..., Any]
) -> None:
    (report,), _ = child("joined", GPUS="3", P2P_1=status)
    told = {(peer.one, peer.other): (peer.allowed, peer.says) for peer in report.peers}
    assert set(told) == set(combinations(("nvidia:0", "nvidia:1", "nvidia:2"), 2))
    assert told["nvidia:0", "nvidia:1"] == (allowed, says)
    assert told["nvidia:0", "nvidia:2"] == (True, "OK")


@pytest.mark.parametrize("fault", ["nvmlDeviceGetP2PStatus=13", "nvmlDeviceGetP2PStatus=3"])
def test_a_driver_without_an_answer_says_nothing_of_peers(fault: str, child: Callable[..., Any]) -> None:
    (report,), _ = child("joined", GPUS="2", FAULT=fault)
    assert report.peers == ()
    assert "peers" not in {gap.fact for gap in report.gaps}


def test_a_lost_gpu_is_no_peer(child: Callable[..., Any]) -> None:
    (report,), _ = child("joined", GPUS="3", FAULT="nvmlDevice*=15,gpu=1")
    assert [(peer.one, peer.other) for peer in report.peers] == [("nvidia:0", "nvidia:2")]
    assert "nvidia:1" not in report.linked


def test_a_slice_tells_its_share_of_the_board(probe: Callable[..., Any]) -> None:
    devices = probe("health", GPUS="1", MIG_GPUS="0", MIG_PROFILES="3g.40gb,1g.10gb").devices
    first, second = devices["nvidia:0/mig0"], devices["nvidia:0/mig1"]
    assert (first.mig_profile, first.compute_slices, first.multiprocessors) == ("3g.40gb", 3, 60)
    assert first.compute_share == pytest.approx(3 / 7, abs=1e-4)
    assert first.memory_share == pytest.approx(40448 / 81559, abs=1e-4)
    assert (second.compute_slices, second.multiprocessors, second.parent) == (1, 16, "nvidia:0")
    assert devices["nvidia:0"].compute_share is None


def test_a_driver_that_does_not_count_units_leaves_the_profile(probe: Callable[..., Any]) -> None:
    devices = probe(
        "health", GPUS="1", MIG_GPUS="0", MIG_PROFILES="2g.20gb", FAULT="nvmlDeviceGetAttributes_v2=13"
    ).devices
    part = devices["nvidia:0/mig0"]
    assert (part.compute_slices, part.multiprocessors) == (2, None)
    assert part.compute_share == pytest.approx(2 / 7, abs=1e-4)


def test_a_host_lists_the_virtual_gpus_of_a_board(probe: Callable[..., Any]) -> None:
    devices = probe("health", GPUS="2", VIRT_MODE_0="3", VGPUS_0=VGPUS).devices
    first, second = devices["nvidia:0"].vgpus
    assert (first.type_name, first.memory_total_bytes, first.memory_used_bytes) == (
        "NVIDIA H100-10C",
        10 << 30,
        5 << 30,
    )
    assert (first.vm_id, second.vm_id) == ("7c1de1a2-0000-4000-8000-00000000a001", "vm-2")
    assert first.uuid != second.uuid
    assert devices["nvidia:1"].vgpus is None  # a board that is no such host is not asked


def test_a_host_on_which_none_runs_has_none(probe: Callable[..., Any]) -> None:
    assert probe("health", GPUS="1", VIRT_MODE="3").devices["nvidia:0"].vgpus == ()


def test_virtual_gpus_are_asked_for_at_health_alone(probe: Callable[..., Any]) -> None:
    assert not hasattr(probe("devices", GPUS="1", VIRT_MODE="3", VGPUS=VGPUS).devices["nvidia:0"], "vgpus")
