"""The wiring of a machine, read from trees of sysfs in the shape that the kernel gives them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accel.apps.privacy.redact import redacted
from accel.collect.isolate import Probes, Worker
from accel.collect.wiring import WiringSource, boards_of
from accel.collect.wiring.config_space import acs
from accel.facts.wiring import by_address, hops, narrowest, path_between, ports_between
from accel.machine.recorded import RecordedMachine
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.snapshot import Snapshot
from accel.model.wiring import NetworkPort, PciFunction, Wiring
from accel.vendors.contract.backend import Request

GPUS = ["0000:13:00.0", "0000:14:00.0", "0000:93:00.0", "0000:94:00.0"]
CARDS = "/sys/class/infiniband"
SEVERAL = ["0000:10:01.0", "0000:11:00.0", "0000:12:00.0"]


def read(machine: RecordedMachine, **asked: Any) -> Wiring:
    source = WiringSource()
    wiring, others = source.taken_from(source.probe(machine, Request(depth="health", **asked)))
    assert wiring is not None
    assert others == ()
    return wiring


def test_the_ports_above_each_accelerator_and_card_are_read_up_to_the_root(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    wiring = read(tree.machine(tmp_path))
    known = by_address(wiring)
    assert [one.address for one in wiring.functions or () if one.role == "accelerator"] == GPUS
    assert known["0000:13:00.0"].above == ("0000:10:01.0", "0000:11:00.0", "0000:12:00.0")
    assert known["0000:13:00.0"].host_bridge == "pci0000:10"
    assert [one.role for one in wiring.functions or ()].count("port") == 2 + 2 + 6
    assert known["0000:15:00.0"].role == "network"
    assert (known["0000:93:00.0"].numa_node, known["0000:93:00.0"].cpus) == (1, "48-95")
    assert [(node.index, node.cpus, node.distances) for node in wiring.numa_nodes] == [
        (0, "0-47", (10, 21)),
        (1, "48-95", (21, 10)),
    ]


def test_what_lies_between_two_devices_is_told_from_their_paths(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    known = by_address(read(tree.machine(tmp_path)))

    def path(one: str, other: str) -> str | None:
        return path_between(known[one], known[other], nodes=2)[0]

    assert path("0000:13:00.0", "0000:14:00.0") == "PIX"
    assert path("0000:13:00.0", "0000:15:00.0") == "PIX"
    assert path("0000:13:00.0", "0000:93:00.0") == "SYS"
    nodeless = replace(known["0000:93:00.0"], numa_node=None)
    assert path_between(known["0000:13:00.0"], nodeless, nodes=2) == (
        None,
        "the firmware does not tell the NUMA node of 0000:93:00.0",
    )
    assert path_between(known["0000:13:00.0"], nodeless, nodes=1) == ("NODE", None)
    flat = replace(nodeless, above=None)
    assert path_between(known["0000:13:00.0"], flat, nodes=2)[0] is None


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("a.0/b.0", "a.0/c.0", "PIX"),  # two slots of one bridge
        ("a.0/b.0/c.0/d.0", "a.0/b.0/e.0/f.0", "PIX"),  # one switch
        ("a.0/b.0/c.0/d.0/e.0/f.0", "a.0/b.0/g.0/h.0", "PXB"),  # a switch below a switch
        ("a.0/b.0", "c.0/d.0", "PHB"),  # two ports of one root
        ("a.0", "b.0", "PHB"),  # at the root itself
    ],
)
def test_switches_are_counted_as_nvidias_tool_counts_them(one: str, other: str, said: str) -> None:
    def function(path: str) -> PciFunction:
        *above, address = path.split("/")
        return PciFunction(address=address, role="accelerator", above=tuple(above), host_bridge="pci0000:00")

    assert path_between(function(one), function(other), nodes=1) == (said, None)


def test_the_narrowest_link_is_found_wherever_it_is(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    up = f"/sys/devices/pci0000:10/{SEVERAL[0]}/{SEVERAL[1]}"
    for folder in (up, up.rpartition("/")[0]):  # both ends of the link above the switch
        tree.files[f"{folder}/current_link_width"] = "8\n"
    known = by_address(read(tree.machine(tmp_path)))
    links = hops(known["0000:13:00.0"], known)
    assert [(link.port, link.below, link.width) for link in links] == [
        (SEVERAL[0], SEVERAL[1], 8),
        (SEVERAL[2], "0000:13:00.0", 16),
    ]
    found = narrowest(links)
    assert found is not None
    assert (found.port, found.width, found.width_maximum) == (SEVERAL[0], 8, 16)
    assert found.bytes_per_second == pytest.approx(31.5e9, rel=0.01)


def test_two_ends_that_say_different_things_are_no_link(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    tree.files[f"/sys/devices/pci0000:10/{SEVERAL[0]}/current_link_width"] = "4\n"
    known = by_address(read(tree.machine(tmp_path)))
    links = hops(known["0000:13:00.0"], known)
    assert links[0].width is None
    assert narrowest(links) is None


def test_access_control_is_read_where_the_configuration_space_is_open(tree: Any, tmp_path: Path) -> None:
    tree.two_switches(acs=0x1D)
    wiring = read(tree.machine(tmp_path))
    assert by_address(wiring)[SEVERAL[2]].acs == ("SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd")
    assert wiring.gaps == ()


def test_without_root_the_access_control_is_a_gap_that_says_what_to_type(tree: Any, tmp_path: Path) -> None:
    tree.two_switches(acs=None)
    for path in [path for path in tree.files if path.endswith("/class")]:
        tree.binaries[path.removesuffix("class") + "config"] = b"\x00\x10\x30\xc0" + bytes(60)
    wiring = read(tree.machine(tmp_path))
    assert {one.acs for one in wiring.functions or () if one.role == "port"} == {None}
    assert [gap.fact for gap in wiring.gaps] == ["acs"]
    assert "sudo accel doctor" in wiring.gaps[0].reason


def test_access_control_of_a_space_that_is_none_is_not_known() -> None:
    assert acs(b"\xff" * 4096) is None
    assert acs(b"") is None
    assert acs(bytes(4096)) == ()
    loop = bytearray(4096)
    loop[0x100:0x104] = (0x0001 | 0x100 << 20).to_bytes(4, "little")  # its next is itself
    assert acs(bytes(loop)) == ()


def test_a_function_that_sleeps_is_not_woken(tree: Any, tmp_path: Path) -> None:
    tree.two_switches(acs=0x1D)
    folder = f"/sys/devices/pci0000:10/{SEVERAL[0]}/{SEVERAL[1]}/{SEVERAL[2]}"
    tree.files[f"{folder}/power/runtime_status"] = "suspended\n"

    class Watched(RecordedMachine):
        def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
            assert not (path.startswith(f"/sys/bus/pci/devices/{SEVERAL[2]}/") and "link" in path)
            return super().read(path, limit_bytes)

        def read_bytes(self, path: str, offset: int, count: int) -> bytes:
            assert SEVERAL[2] not in path
            return super().read_bytes(path, offset, count)

    tree.machine(tmp_path)
    asleep = by_address(read(Watched(tmp_path)))[SEVERAL[2]]
    assert (asleep.asleep, asleep.width, asleep.acs) == (True, None, None)


def test_a_port_for_rdma_is_read_with_its_counters(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    tree.card("mlx5_1", "0000:95:00.0", **{"counters/link_downed": "17", "rate": "100 Gb/sec (1X NDR)"})
    folder = "/sys/devices/pci0000:90/0000:90:01.0/0000:91:00.0/0000:92:02.0/0000:95:00.0"
    tree.files[f"{folder}/net/ibp149s0/carrier_down_count"] = "9\n"
    tree.files[f"{folder}/net/ibp149s0/mtu"] = "4092\n"
    first, second = read(tree.machine(tmp_path)).ports or ()
    assert first == NetworkPort(
        card="mlx5_0", port=1, pci_address="0000:15:00.0", driver="mlx5_core", model="MT4129",
        firmware_version="28.39.1002", link_layer="InfiniBand", state="ACTIVE", physical_state="LinkUp",
        rate_bits_per_second=400_000_000_000, lanes=4, signal="NDR", link_downs=0, link_recoveries=0, symbol_errors=0,
        receive_errors=0, gids=("fe80:0000:0000:0000:a088:c203:00ab:1234",), gid_types=("IB/RoCE v1",),
    )  # fmt: skip
    assert (second.link_downs, second.carrier_downs, second.interfaces) == (17, 9, ("ibp149s0",))
    assert second.mtu_bytes == 4092
    assert (second.lanes, second.rate_bits_per_second) == (1, 100_000_000_000)


def test_virtual_functions_of_a_card_are_no_cards_of_their_own(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    for number in range(100):
        address = f"0000:15:{number // 8:02x}.{number % 8}"
        if address != "0000:15:00.0":
            tree.card(f"mlx5_{number + 2}", address)
            tree.links[f"/sys/bus/pci/devices/{address}/physfn"] = "../0000:15:00.0"
    assert [port.card for port in read(tree.machine(tmp_path)).ports or ()] == ["mlx5_0", "mlx5_1"]


def test_a_card_whose_files_did_not_answer_costs_itself(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    wiring = read(tree.machine(tmp_path), skip=frozenset({("network port", "mlx5_0")}))
    assert [port.card for port in wiring.ports or ()] == ["mlx5_1"]
    assert [gap.fact for gap in wiring.gaps] == ["network port mlx5_0"]
    assert len(wiring.functions or ()) == 16


def test_a_card_that_hangs_costs_itself_and_the_rest_is_read(tree: Any, tmp_path: Path) -> None:
    import time

    tree.two_switches()

    class Hanging(RecordedMachine):
        def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
            if path == "/sys/class/infiniband/mlx5_1/ports/1/state":
                time.sleep(60)
            return super().read(path, limit_bytes)

    tree.machine(tmp_path)
    source = WiringSource()
    wiring, _ = source.taken_from(Probes([Worker(source, Hanging(tmp_path), "health", source.seconds)]).wait())
    assert wiring is not None
    assert [port.card for port in wiring.ports or ()] == ["mlx5_0"]
    assert len(wiring.functions or ()) == 16
    assert any("did not return" in gap.reason for gap in wiring.gaps)


def test_boards_that_their_class_does_not_tell_are_known_by_the_plugins_signs(tree: Any, tmp_path: Path) -> None:
    tree.function(["0000:00:1e.0"], root="pci0000:00", kind="088000", pci_id="1d0f:7164")
    tree.function(["0000:00:1f.0"], root="pci0000:00", kind="088000", pci_id="8086:09a2")
    boards = boards_of(["pci:1d0f:716", "pci:8086", "/dev/neuron<N>"])
    source = WiringSource(boards)
    wiring, _ = source.taken_from(source.probe(tree.machine(tmp_path), Request(depth="health")))
    assert wiring is not None
    assert [one.address for one in wiring.functions or ()] == ["0000:00:1e.0"]


def test_only_ports_below_the_shared_switch_lie_between_two(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    known = by_address(read(tree.machine(tmp_path)))
    assert ports_between(known["0000:13:00.0"], known["0000:14:00.0"]) == ("0000:12:00.0", "0000:12:01.0")
    assert ports_between(known["0000:13:00.0"], known["0000:93:00.0"]) == ()


def test_the_wiring_is_kept_in_a_saved_snapshot_and_its_addresses_are_replaced(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    snapshot = Snapshot(wiring=read(tree.machine(tmp_path)))
    assert decode_snapshot(encode_snapshot(snapshot), {}) == snapshot
    shown = encode_snapshot(redacted(snapshot))
    assert "a088:c203" not in shown
    assert "0000:15:00.0" in shown


@pytest.mark.parametrize("name", ["class", "current_link_speed", "numa_node", "local_cpulist"])
def test_nonsense_in_a_file_is_not_known(name: str, tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    for path in [path for path in tree.files if path.endswith(f"/{name}")]:
        tree.files[path] = "\x00\xff nonsense \n" * 50
    for path in [path for path in tree.files if path.startswith(CARDS)]:
        tree.files[path] = "-1 / ??\n"
    wiring = read(tree.machine(tmp_path))
    assert all(port.rate_bits_per_second is None and port.link_downs is None for port in wiring.ports or ())
