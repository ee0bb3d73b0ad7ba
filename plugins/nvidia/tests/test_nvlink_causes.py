"""Faulty NVLinks of one cause are one group."""

from typing import Any

import pytest
from accel_nvidia.model import NvidiaDevice, NvLink
from accel_nvidia.nvlink_causes import by_cause, names

ADDRESSES = [f"0000:{number}b:00.0" for number in range(8)]
SWITCH, OTHER_SWITCH = "0000:c1:00.0", "0000:c2:00.0"


def gpu(number: int, **facts: Any) -> NvidiaDevice:
    usual = {"id": f"nvidia:{number}", "backend": "nvidia", "vendor": "NVIDIA", "kind": "gpu", "name": "NVIDIA H100"}
    return NvidiaDevice(index=number, pci_address=ADDRESSES[number], **{**usual, **facts})


GPUS = [gpu(number) for number in range(8)]


def link(index: int, to: str | None) -> NvLink:
    return NvLink(index=index, remote_pci_address=to)


@pytest.mark.parametrize(
    ("faulty", "groups"),
    [
        pytest.param({0: [link(0, ADDRESSES[1])], 1: [link(3, ADDRESSES[0])]}, [[0, 1]], id="both ends of a bridge"),
        pytest.param({n: [link(n, SWITCH)] for n in range(8)}, [[*range(8)]], id="a switch"),
        pytest.param({0: [link(0, SWITCH)], 5: [link(0, OTHER_SWITCH)]}, [[0], [5]], id="two switches"),
        pytest.param(
            {0: [link(0, SWITCH)], 5: [link(0, OTHER_SWITCH)], 3: [link(0, SWITCH), link(1, OTHER_SWITCH)]},
            [[0, 3, 5]],
            id="a GPU between two switches",
        ),
        pytest.param({0: [link(4, None)], 5: [link(4, None)]}, [[0, 5]], id="the same number, other end not known"),
        pytest.param({0: [link(4, None)], 5: [link(7, None)]}, [[0], [5]], id="unlike numbers, other end not known"),
        pytest.param({2: [], 4: []}, [[2], [4]], id="no link is named"),
    ],
)
def test_links_of_one_cause_are_one_group(faulty: dict[int, list[NvLink]], groups: list[list[int]]) -> None:
    ordered = [(GPUS[number], tuple(links)) for number, links in sorted(faulty.items())]
    found = by_cause(ordered, GPUS)
    assert [[device.index for device, _ in group] for group in found] == groups


def test_of_many_gpus_the_first_are_named() -> None:
    assert names([(one, ()) for one in GPUS]) == "nvidia:0, nvidia:1, nvidia:2, nvidia:3 and 4 more"
    assert names([(GPUS[2], ())]) == "nvidia:2"
