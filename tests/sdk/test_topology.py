"""What programs ask of a topology: links, peer access, network cards, NUMA nodes, switches; on many machines."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import accel
import accel.testing
from accel.apps import api
from accel.collect.live import devices_and_wiring
from accel.collect.text import read_texts
from accel.machine.recorded import RecordedMachine
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.report import Report
from accel.model.snapshot import Host
from accel.model.wiring import Link, NumaNode, PciFunction, PeerAccess, Wiring
from accel.plugins.registry import Registry
from accel.specs import load
from accel.specs.store import parse
from accel.watch.topology.peers import _Pair

HERE = Path(__file__).parent
MACHINES = HERE.parent / "machines"
MATRICES = HERE.parent / "wiring" / "matrices"
CASES: dict[str, dict[str, Any]] = parse(str(HERE / "topology_cases.yaml"))
REGISTRY = Registry({})


def pair_of(case: dict[str, Any]) -> accel.Topology:
    """Return the topology of two devices as a case describes them."""
    told = [case["chips"][0], case["chips"][-1]] if not case.get("slices") else case["chips"]
    devices = [_device(index, text, case.get("driver")) for index, text in enumerate(told)]
    devices += [
        replace(devices[0], id=f"{devices[0].id}/mig{n}", index=n, parent=devices[0].id, name=f"{devices[0].name} MIG")
        for n in range(case.get("slices", 0))
    ]
    ids = [device.id for device in devices[:2]]
    links = (Link(one=ids[0], other=ids[1], path=case["links"]),) if "links" in case else ()
    peers = ()
    if "peers" in case:
        answer, says = case["peers"]
        peers = (PeerAccess(one=ids[1], other=ids[0], allowed=answer == "yes", says=says),)
    by_backend: dict[str, Report] = {}
    for backend in dict.fromkeys(device.backend for device in devices):
        own = tuple(device for device in devices if device.backend == backend)
        linked = tuple(device.id for device in own) if case.get("linked") else ()
        by_backend[backend] = Report(backend=backend, source="nvml", devices=own, linked=linked)
    first = by_backend[devices[0].backend]
    by_backend[devices[0].backend] = replace(first, links=links, peers=peers)
    host = Host(**{"virtualization": "none", **case.get("host", {})})
    wiring = Wiring(functions=tuple(_functions(case, [d.pci_address or "" for d in devices[:2]])), iommu=False)
    return accel.topology(accel.Snapshot(host=host, wiring=wiring, reports=tuple(by_backend.values())))


def _device(index: int, text: str, driver: str | None) -> accel.Device:
    backend, rest = text.split(" ", 1) if not re.match(r"[0-9a-f]{4}:", text) else ("nvidia", text)
    pci_id, name = rest.split(" ", 1)
    return accel.Device(
        id=f"{backend}:{index}",
        index=index,
        backend=backend,
        vendor=backend,
        kind="gpu",
        name=name,
        pci_id=pci_id,
        uuid=f"GPU-{index}a2b3c4d-0000-4000-8000-00000000000{index}",
        pci_address=f"0000:{0x13 + index:02x}:00.0",
        driver_version=driver,
    )


def _functions(case: dict[str, Any], addresses: list[str]) -> Iterator[PciFunction]:
    where = case.get("bus")
    if where is None:
        return
    for place, address in enumerate(dict.fromkeys(addresses)):
        root = f"pci0000:{place * 0x80:02x}" if where == "sockets" else "pci0000:00"
        port = f"0000:{place * 0x80:02x}:01.0" if where == "sockets" else "0000:00:01.0"
        switch = ("0000:11:00.0", f"0000:12:{place:02x}.0") if where == "switch" else ()
        above = (port, *switch) if where != "root" else (f"0000:00:{place + 1:02x}.0",)
        redirects = ("ReqRedir",) if case.get("acs") else ()
        common: dict[str, Any] = {"host_bridge": root, "numa_node": place if where == "sockets" else 0}
        for depth, one in enumerate(above):
            yield PciFunction(address=one, role="port", above=above[:depth], acs=redirects, **common)
        yield PciFunction(
            address=address,
            role="accelerator",
            above=above,
            iommu_group=place if "iommu" in case else None,
            iommu_type=case.get("iommu"),
            **common,
        )


@pytest.mark.parametrize("name", CASES)
def test_peer_access_is_decided_by_the_rule_that_the_case_names(name: str) -> None:
    case = CASES[name]
    it = pair_of(case)
    a, b = case.get("ask") or [device.id for device in it.listed[:2]]
    found = it.p2p(a, b)
    assert (found.rule, found.allowed) == (case["rule"], case["allowed"]), found
    assert case.get("says", "") in found.reason
    assert case.get("environment", found.environment) == found.environment
    assert it.p2p(b, a) == found
    assert "{" not in found.reason


def test_every_rule_has_a_case_and_names_what_is_known_elsewhere() -> None:
    table = load().table("system/peer_rules")
    decided = {case["rule"] for case in CASES.values()}
    limits = {row["name"] for row in load().table("restrictions/technical")["limits"]}
    for rule in table["rules"]:
        assert rule["effect"] in ("forbids", "allows", "open", "notes")
        assert rule["effect"] == "notes" or rule["name"] in decided, rule["name"]
        assert set(rule["when"]) <= set(_Pair._asks)
        assert rule["when"].get("limit", next(iter(limits))) in limits
        assert set(rule["sources"]) <= set(table["sources"])
    sure = {"same_vendor", "vendor", "part", "driver_says"}  # are always known
    assert set(_Pair._asks) == sure | set(table["unknown"])


def test_rates_of_links_are_those_of_the_chips_records() -> None:
    rows = load().table("system/link_rates")["rates"]
    for row in rows:
        chips = [
            chip
            for chip in load().chips()
            if chip.name in row.get("chips", ()) or chip.link_type in row.get("link_types", ())
        ]
        assert chips, row
        for chip in chips:
            mine = next(r for r in rows if chip.name in r.get("chips", ()) or (
                chip.link_type in r.get("link_types", ()) and chip.die_name in r.get("dies", (chip.die_name,))
            ))  # fmt: skip
            if mine is row and chip.link_bytes_per_second is not None:
                lanes = chip.link_bytes_per_second / 2 / row["lane_bytes_per_second"]
                assert lanes == pytest.approx(row.get("lanes", round(lanes)), rel=0.001), chip.name


NODES: dict[str, dict[str, Any]] = {
    "8xH100": {"link": ("nvlink", "NV18", 18, 478_116_000_000, "nvml"), "full": True, "p2p": True, "nic": ("mlx5_0",)},
    "mi300x-8": {"link": ("xgmi", "XGMI", 1, 64_000_000_000, "sysfs"), "full": True, "p2p": True, "nic": ("mlx5_0",)},
    "ascend-910b-8": {"link": ("hccs", "HCCS", 1, 28_000_000_000, "spec"), "full": True, "p2p": True, "nic": ()},
    "l4-no-nvml": {"link": ("pcie", "SYS", 16, 31_507_692_308, "sysfs"), "full": False, "p2p": None, "nic": ()},
    "2x4090": {"link": ("pcie",), "full": False, "p2p": False},
    "gb10": {"full": True},
    "cpu-only": {"full": True},
    "h100-mig": {"full": True},
    "mixed": {},
    "metax-c500-8": {"link": ("metaxlink", "MX", None, None), "full": False, "p2p": True},
    "tpu-v5e-4": {"link": ("ici", "ICI", 1, 50_000_000_000, "spec"), "full": False, "p2p": True},
    "gaudi2-8": {},
    "m2-max": {"full": True},
    "arc-a770": {},
}


@pytest.mark.parametrize("name", NODES)
def test_simulated_machines_answer_as_their_vendors_say(name: str) -> None:
    expected = NODES[name]
    with accel.testing.machine(name):
        it = accel.topology()
        again = accel.snapshot().topology
    if "full" in expected:
        assert it.fully_connected() is expected["full"]
    for one, other in combinations([device.id for device in it.listed], 2):
        assert it.link(one, other) == it.link(other, one)
        assert it.p2p(one, other) == it.p2p(other, one)
        assert it.p2p(one, other) == again.p2p(one, other)  # what a snapshot keeps is enough
        link = it.link(one, other)
        assert (None in (link.path, link.fabric, link.lanes, link.bytes_per_second)) == (link.reason is not None), link
        assert it.fully_connected([one, other]) is link.fabric
    if "link" in expected:
        link = it.link(0, 1)
        told = (link.kind, link.path, link.lanes, link.bytes_per_second, link.rate_source)
        assert told[: len(expected["link"])] == expected["link"]
        assert it.p2p(0, 1).allowed is expected.get("p2p")
    if "nic" in expected:
        assert it.nearest_nic(0) == expected["nic"]
    for device in it.devices:
        numa = it.numa(device.id)
        assert (numa.node is None or not numa.cpus) == (numa.reason is not None)
    assert sorted(name for group in it.groups for name in group) == sorted({n for g in it.groups for n in g})


def recorded(name: str) -> accel.Topology:
    return devices_and_wiring(RecordedMachine(MACHINES / name), REGISTRY, isolate=False).topology


def test_devices_of_one_switch_are_a_group_and_share_a_card() -> None:
    it = recorded("hgx-worn-wiring")
    assert it.groups == (("nvidia:0", "nvidia:1"), ("nvidia:2", "nvidia:3"))
    assert [it.nearest_nic(n) for n in range(4)] == [("mlx5_0",), ("mlx5_0",), ("mlx5_1",), ("mlx5_1",)]
    assert it.nearest_nic("mlx5_1") == ("mlx5_1",)
    numa = it.numa(2)
    assert (numa.node, numa.cpus) == (1, tuple(range(48, 96)))
    link = it.link(0, "mlx5_0")
    assert (link.kind, link.path, link.fabric) == ("pcie", "PIX", False)
    assert it.link(0, 3).fabric is None  # NVML does not start there: whether NVLink joins them is not known
    assert "over PCIe it is SYS" in (it.link(0, 3).reason or "")
    assert it.fully_connected() is None


def test_a_link_over_the_bus_is_as_wide_as_its_narrowest_part() -> None:
    it = recorded("hgx-worn-wiring")  # the first switch runs on half of its lanes
    devices = tuple(replace(device, name="NVIDIA L40S", pci_id="10de:26b9") for device in it.listed)
    plain = replace(it, listed=devices)
    assert (plain.link(0, 1).lanes, plain.link(0, 3).lanes) == (16, 8)
    assert (plain.link(0, 3).bytes_per_second or 0) * 2 == pytest.approx(plain.link(0, 1).bytes_per_second, abs=2)


@pytest.mark.parametrize(
    ("file", "kinds", "full", "groups"),
    [
        ("nvidia-with-cards", {"nvlink"}, True, (("nvidia:0",), ("nvidia:1",))),
        ("amd-rocm-smi", {"xgmi", "pcie"}, False, ()),
        ("ascend-910b", {"hccs", "pcie"}, False, (("ascend:0",), ("ascend:1",), ("ascend:2",), ("ascend:3",))),
        ("metax-c500", {"metaxlink", "pcie"}, False, None),
        ("mthreads-s5000", {"mtlink"}, True, None),
        ("iluvatar-v100", {"pcie"}, False, (("iluvatar:0", "iluvatar:1"),)),
    ],
)
def test_a_printed_matrix_answers_too(file: str, kinds: set[str], full: bool, groups: Any) -> None:
    text = (MATRICES / f"{file}.txt").read_text(encoding="utf-8")
    it = accel.topology(read_texts([(f"{file}.txt", text)], REGISTRY))
    pairs = list(combinations([device.id for device in it.devices], 2))
    assert {it.link(*pair).kind for pair in pairs} == kinds
    assert it.fully_connected() is full
    assert groups is None or it.groups == groups
    with pytest.raises(accel.NoSuchDevice, match=f"in {file}.txt"):
        it.link(0, "nvidia:77")


def test_lanes_of_a_printed_matrix_have_the_rate_of_the_chips_record() -> None:
    case = {"chips": ["10de:2330 NVIDIA H100 80GB HBM3"], "links": "NV18", "linked": True}
    link = pair_of(case).link(0, 1)
    assert (link.lanes, link.bytes_per_second, link.rate_source, link.reason) == (18, 450 * 10**9, "spec", None)
    unlike = pair_of({**case, "chips": [case["chips"][0], "10de:20b2 NVIDIA A100-SXM4-80GB"]}).link(0, 1)
    assert unlike.bytes_per_second == 450 * 10**9  # 25 GB/s a lane of both
    nobody = pair_of({**case, "chips": ["10de:ffff NVIDIA Graphics Device"]}).link(0, 1)
    assert (nobody.lanes, nobody.bytes_per_second) == (18, None)
    assert "records" in (nobody.reason or "")


def test_a_device_has_all_its_names() -> None:
    it = pair_of(CASES["ampere-with-a-bridge"])
    other = it.listed[1]
    shown = replace(it, listed=(it.listed[0], replace(other, runtime_names=("cuda:0",))))
    names = [other.id, other.uuid, (other.uuid or "")[:9], other.pci_address, 1, "1", other, "cuda:0"]
    assert {shown.link(0, name).path for name in names} == {"NV4"}


def test_names_of_nothing_here_are_errors_that_say_what_is_here() -> None:
    it = pair_of(CASES["ampere-with-a-bridge"])
    for name in ("nvidia:7", "GPU-ffffffff", 2, -1):
        with pytest.raises(accel.NoSuchDevice):
            it.numa(name)
    with pytest.raises(accel.NoSuchDevice, match="nvidia:0, nvidia:1"):
        it.link(0, "amd:0")
    elsewhere = replace(it.listed[1], uuid="GPU-99999999-0000-4000-8000-000000000000")
    with pytest.raises(accel.NoSuchDevice, match="another machine"):
        it.p2p(0, elsewhere)
    gone = replace(it.listed[1], id="nvidia:5", uuid="GPU-99999999-0000-4000-8000-000000000000")
    with pytest.raises(accel.NoSuchDevice):
        it.p2p(0, gone)
    with pytest.raises(TypeError):
        it.numa(1.5)  # type: ignore[arg-type]
    with pytest.raises(accel.BadInput, match="network card"):
        recorded("hgx-worn-wiring").p2p(0, "mlx5_0")


def test_only_the_devices_asked_for_are_in_it_in_their_order() -> None:
    with accel.testing.machine("8xH100"):
        it = accel.topology(ids=["nvidia:3", 1])
        with pytest.raises(accel.NoSuchDevice):
            accel.topology(ids=["nvidia:9"])
    assert [device.id for device in it.devices] == ["nvidia:3", "nvidia:1"]
    assert it.link(0, 1).path == "NV18"
    assert it.fully_connected([0]) is True
    with pytest.raises(accel.NoSuchDevice):
        it.link(0, "nvidia:0")


def test_a_device_that_is_gone_is_none_of_the_next_topology() -> None:
    with accel.testing.machine("8xH100") as machine:
        device = accel.device("nvidia:3")
        machine.lose("nvidia:3")
        it = accel.topology()
        link = it.link(0, device)
        assert (link.fabric, link.kind) == (None, "unknown")
        assert link.reason
        assert it.fully_connected() is None
        assert it.fully_connected([0, 1, 2]) is True


def test_a_snapshot_of_another_machine_asks_nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with accel.testing.machine("8xH100"):
        taken = accel.snapshot()
    read = decode_snapshot(encode_snapshot(taken), {})
    monkeypatch.setattr(api, "_machine", lambda: pytest.fail("this machine was asked"))
    it = accel.topology(read)
    assert it.link(0, 7).path == "NV18"
    assert it.p2p(0, 7).allowed is True
    assert it.numa(0).cpus
    assert read.topology == it


def test_a_machine_of_one_numa_node_needs_no_firmware_to_tell_it() -> None:
    it = pair_of(CASES["one-switch-and-nothing-against-it"])
    lone = replace(it, numa_nodes=(NumaNode(index=0, cpus="0-3"),))
    assert lone.numa(0).cpus == (0, 1, 2, 3)
    placeless = replace(it, members=tuple(replace(member, numa_node=None) for member in it.members))
    assert placeless.numa(0).node is None
    assert "firmware" in (placeless.numa(0).reason or "")


def test_no_vendor_and_no_product_is_named_in_the_code() -> None:
    names = re.compile(r"nvidia|\bamd\b|ascend|geforce|\brtx\b|\bh100\b|nvlink|xgmi|\bgpu-|\bl40s\b", re.IGNORECASE)
    for path in [
        *(HERE.parents[1] / "src/accel/watch/topology").glob("*.py"),
        Path(accel.topology.__code__.co_filename),
    ]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        said = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
        ]
        assert [text for text in said if names.search(text)] == [], path.name
