"""Which GPUs xGMI joins, from KFD's topology as the kernel writes it."""

from pathlib import Path

import pytest
import yaml
from accel_amd.kfd_links import links
from accel_amd.record import gpu

from accel.machine.recorded import RecordedMachine

NODES = "/sys/class/kfd/kfd/topology/nodes"
DEVICES = [gpu(index, node_id=index + 2) for index in range(4)]  # nodes 0 and 1 are the processors


def machine(folder: Path, joined: "dict[tuple[int, int], int]", rate: int = 64000) -> RecordedMachine:
    """Return a machine with a link of a type from node to node."""
    files = {}
    for number, ((one, other), kind) in enumerate(joined.items()):
        files[f"{NODES}/{one}/io_links/{number}/properties"] = (
            f"type {kind}\nversion_major 0\nversion_minor 0\nnode_from {one}\nnode_to {other}\nweight 15\n"
            f"min_latency 0\nmax_latency 0\nmin_bandwidth {rate}\nmax_bandwidth {rate}\n"
            "recommended_transfer_size 0\nrecommended_sdma_engine_id_mask 0\nflags 1\n"
        )
    (folder / "machine.yaml").write_text(yaml.safe_dump({"files": files}), encoding="utf-8")
    return RecordedMachine(folder)


def test_a_pair_that_xgmi_joins_is_told_once_with_its_rate(tmp_path: Path) -> None:
    joined = links(machine(tmp_path, {(2, 3): 11, (3, 2): 11, (2, 0): 2, (4, 5): 11}), DEVICES)
    found = joined.links
    assert [(link.one, link.other, link.path) for link in found] == [
        ("amd:0", "amd:1", "XGMI"),
        ("amd:2", "amd:3", "XGMI"),
    ]
    assert found[0].bytes_per_second == 64_000_000_000
    assert joined.gaps == ()
    assert joined.linked == ("amd:0", "amd:1", "amd:2")  # a node without the folder tells nothing


def test_links_over_pcie_and_to_the_processors_are_left_to_the_bus(tmp_path: Path) -> None:
    assert links(machine(tmp_path, {(2, 3): 2, (2, 0): 11, (2, 9): 11, (2, 2): 11}), DEVICES).links == ()


def test_a_rate_of_zero_is_not_known(tmp_path: Path) -> None:
    assert links(machine(tmp_path, {(2, 3): 11}, rate=0), DEVICES).links[0].bytes_per_second is None


def test_so_many_partitions_that_not_every_link_is_read_are_said(tmp_path: Path) -> None:
    many = [gpu(index, node_id=index + 2) for index in range(64)]
    joined = {(one + 2, other + 2): 11 for one in range(64) for other in range(64) if one != other}
    found = links(machine(tmp_path, joined), many)
    assert len(found.links) <= 1024
    assert [gap.fact for gap in found.gaps] == ["links"]
    assert found.linked == ()  # of none it is known that it has no other


@pytest.mark.parametrize("text", ["", "type\n", "type 11\nnode_from x\nnode_to 3\n", "type 11\nnode_from 2\n"])
def test_a_cut_file_joins_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": {f"{NODES}/2/io_links/0/properties": text}}))
    assert links(RecordedMachine(tmp_path), DEVICES).links == ()


def test_the_driver_lists_which_gpus_reach_each_other_over_pcie(tmp_path: Path) -> None:
    def link(node: int, kind: str, number: int, to: int, made: int) -> "dict[str, str]":
        text = f"type {made}\nnode_from {node}\nnode_to {to}\nmax_bandwidth 32000\n"
        return {f"{NODES}/{node}/{kind}/{number}/properties": text}

    files = {**link(2, "io_links", 0, 0, 2), **link(2, "p2p_links", 0, 3, 2), **link(3, "p2p_links", 0, 2, 2)}
    files |= {**link(4, "io_links", 0, 2, 11), **link(4, "p2p_links", 0, 0, 2)}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": files}), encoding="utf-8")
    found = links(RecordedMachine(tmp_path), DEVICES)
    assert [(peer.one, peer.other, peer.allowed) for peer in found.peers] == [
        ("amd:0", "amd:1", True),  # over PCIe
        ("amd:0", "amd:2", True),  # over xGMI
        ("amd:1", "amd:2", False),  # neither
    ]  # of amd:3 the kernel shows no such folder: it is not known
