"""The topology of a machine as matrix, JSON and picture: of every vendor, live or out of what tools printed."""

import json
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.apps.render.topology_svg import topology_svg
from accel.apps.render.topology_text import topology_lines
from accel.collect.live import devices_and_wiring
from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.model.codec import encode_snapshot
from accel.model.device import Device
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.model.wiring import Domain, Link, NetworkPort, Wiring
from accel.plugins.registry import Registry
from accel.watch.topology import Topology, topology

MATRICES = Path(__file__).parent / "matrices"
REGISTRY = Registry({})


def of(snapshot: Snapshot) -> Topology:
    return topology(Facts(snapshot), REGISTRY.specs)


def live(tree: Any, folder: Path) -> Snapshot:
    return devices_and_wiring(tree.machine(folder), REGISTRY, isolate=False)


def said(name: str) -> Topology:
    return of(read_texts([(name, (MATRICES / f"{name}.txt").read_text(encoding="utf-8"))], REGISTRY))


def paths(it: Topology) -> dict[str, str | None]:
    return {f"{joint.one} {joint.other}": joint.path for joint in it.joints}


def lines(it: Topology, width: int = 100) -> list[str]:
    return list(topology_lines(it, width))


def with_links(snapshot: Snapshot, *links: Link) -> Snapshot:
    return replace(snapshot, reports=(replace(snapshot.reports[0], links=links), *snapshot.reports[1:]))


def test_devices_and_cards_are_joined_as_they_hang_on_the_bus(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    it = of(live(tree, tmp_path))
    assert [member.id for member in it.members] == [*(f"nvidia:{n}" for n in range(4)), "mlx5_0", "mlx5_1"]
    assert paths(it)["nvidia:0 nvidia:1"] == "PIX"
    assert paths(it)["nvidia:0 nvidia:2"] == "SYS"
    assert paths(it)["nvidia:2 mlx5_1"] == "PIX"
    assert {joint.source for joint in it.joints} == {"sysfs"}
    assert [member.nearest for member in it.devices] == [("mlx5_0",), ("mlx5_0",), ("mlx5_1",), ("mlx5_1",)]


def test_a_link_made_for_it_goes_before_the_bus(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    pairs = [Link(one=f"nvidia:{a}", other=f"nvidia:{b}", path="NV18", bytes_per_second=478 * 10**9)
             for a, b in combinations(range(4), 2)]  # fmt: skip
    it = of(with_links(live(tree, tmp_path), *pairs))
    assert paths(it)["nvidia:0 nvidia:2"] == "NV18"
    assert paths(it)["nvidia:0 mlx5_0"] == "PIX"
    joint = next(joint for joint in it.joints if joint.path == "NV18")
    assert (joint.kind, joint.bytes_per_second) == ("fabric", 478 * 10**9)
    assert [word.word for word in it.words] == ["NV18", "PIX", "SYS"]
    assert it.words[0].means.startswith("18 NVLinks")


def test_the_kernel_goes_before_a_tools_word_for_the_bus(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    it = of(with_links(live(tree, tmp_path), Link(one="nvidia:0", other="nvidia:1", path="NODE")))
    assert paths(it)["nvidia:0 nvidia:1"] == "PIX"


def test_two_vendors_on_one_machine_are_in_one_matrix(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    root = "pci0000:f0"
    tree.function(["0000:f0:01.0"], root=root, kind="060400", pci_id="8086:352a", numa=1)
    tree.function(["0000:f0:01.0", "0000:f1:00.0"], root=root, kind="120000", pci_id="19e5:d802", numa=1)
    it = of(live(tree, tmp_path))
    assert {member.id.partition(":")[0] for member in it.devices} == {"nvidia", "ascend"}
    assert paths(it)["ascend:0 nvidia:2"] == "NODE"
    assert paths(it)["ascend:0 nvidia:0"] == "SYS"


def test_what_is_not_known_is_a_dash_with_its_reason() -> None:
    devices = tuple(
        Device(id=f"npu:{n}", index=n, backend="npu", vendor="Acme", kind="npu", pci_address=address)
        for n, address in enumerate((None, "0000:3b:00.0"))
    )
    it = of(Snapshot(origin="x.txt", reports=(Report(backend="npu", source="x", devices=devices),)))
    assert [joint.path for joint in it.joints] == [None]
    shown = lines(it)
    assert shown[2:5] == ["       npu:0  npu:1", "npu:0  X      -", "npu:1  -      X"]
    assert "-  not known, npu:0 to npu:1: no source reports the PCI address of npu:0" in shown


def test_a_machine_without_anything_says_what_to_type() -> None:
    assert lines(of(Snapshot())) == ["No device and no network card is known here. Find out why:  accel doctor"]


@pytest.mark.parametrize("name", sorted(path.stem for path in MATRICES.glob("*.txt")))
@pytest.mark.parametrize("width", [40, 72, 100, 200])
def test_a_printed_matrix_is_shown_whole_in_any_width(name: str, width: int) -> None:
    it = said(name)
    shown = lines(it, width)
    matrix = shown[: shown.index(next(line for line in shown if line.startswith(it.words[0].word)))]
    words = " ".join(matrix).split()
    for path in {joint.path for joint in it.joints if joint.path is not None}:
        assert words.count(path) == 2 * sum(joint.path == path for joint in it.joints)
    assert max(map(len, matrix)) <= width


def test_a_matrix_of_many_goes_on_below_itself(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    assert max(map(len, lines(of(live(tree, tmp_path)), 60))) <= 72  # a member's own row may be longer than the page
    numbered = lines(of(live(tree, tmp_path)), 60)
    assert numbered[2].split() == ["0", "1", "2", "3", "N0", "N1"]
    assert numbered[3].split()[:2] == ["0", "nvidia:0"]


def test_a_node_of_a_hundred_cards_is_bounded() -> None:
    ports = tuple(NetworkPort(card=f"mlx5_{n}", port=1, pci_address=f"0000:{n // 32:02x}:{n % 32:02x}.0")
                  for n in range(300))  # fmt: skip
    it = of(Snapshot(wiring=Wiring(functions=(), ports=ports)))
    assert len(it.members) == 128
    assert "300 devices and cards" in it.gaps[0].reason


def test_fabrics_beyond_the_machine_are_shown(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    snapshot = live(tree, tmp_path)
    domain = Domain(kind="NVLink fabric", name="7c2e", devices=("nvidia:0", "nvidia:1"), details=(("clique", "2"),))
    it = of(replace(snapshot, reports=(replace(snapshot.reports[0], domains=(domain, domain)),)))
    assert it.domains == (domain,)
    assert "NVLink fabric 7c2e, clique 2: nvidia:0, nvidia:1" in lines(it)


def test_a_virtual_machine_says_that_its_bus_is_the_hypervisors(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    tree.files["/sys/class/dmi/id/sys_vendor"] = "QEMU\n"
    assert any("virtual machine" in gap.reason for gap in of(live(tree, tmp_path)).gaps)


def drawn(it: Topology) -> "ElementTree.Element":
    return ElementTree.fromstring(topology_svg(it))


def test_the_picture_shows_each_member_once_and_the_fabric_as_one_band(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    pairs = [Link(one=f"nvidia:{a}", other=f"nvidia:{b}", path="NV12") for a, b in combinations(range(4), 2)]
    texts = [text.text for text in drawn(of(with_links(live(tree, tmp_path), *pairs))).iter() if text.text]
    for name in ("nvidia:0", "nvidia:3", "mlx5_0", "mlx5_1"):
        assert texts.count(name) == 1
    assert "NV12 between all 4" in texts
    assert any("switch 0000:11:00.0" in text for text in texts)
    assert any(text.startswith("NUMA node 1 · CPUs 48-95") for text in texts)


def test_islands_have_a_band_each_and_pairs_an_arc() -> None:
    islands = [text.text for text in drawn(said("metax-c500")).iter() if text.text]
    assert islands.count("MX between all 4") == 2
    pairs = [text.text for text in drawn(said("ascend-910b")).iter() if text.text]
    assert pairs.count("HCCS") == 2


def test_a_worn_link_and_a_port_that_is_down_are_marked(tree: Any, tmp_path: Path) -> None:
    tree.two_switches()
    tree.card("mlx5_1", "0000:95:00.0", state="1: DOWN", phys_state="2: Polling")
    up = "/sys/devices/pci0000:10/0000:10:01.0"
    for folder in (up, f"{up}/0000:11:00.0"):
        tree.files[f"{folder}/current_link_width"] = "8\n"
    marked = [e.text for e in drawn(of(live(tree, tmp_path))).iter() if e.get("class") == "bad-text"]
    assert marked == ["switch 0000:11:00.0, gen 5 x8 to the root, not gen 5 x16", "DOWN (Polling)"]


def test_no_name_becomes_mark_up_in_the_picture() -> None:
    hostile = '"/><script>alert(1)</script>\x1b[31m\u202e'
    port = NetworkPort(card=hostile, port=1, state=hostile, physical_state=hostile, rate_bits_per_second=1)
    link = Link(one=hostile, other="npu:0", path=hostile)
    device = Device(id="npu:0", index=0, backend="npu", vendor="Acme", kind="npu", name=hostile)
    report = Report(backend="npu", source="x", devices=(device,), links=(link,))
    it = of(Snapshot(wiring=Wiring(ports=(port,)), reports=(report,)))
    assert {element.tag.partition("}")[2] for element in drawn(it).iter()} <= {
        *("svg", "title", "desc", "rect", "text", "path"),
    }
    assert "\x1b" not in topology_svg(it)


def accel(*words: str) -> tuple[int, str, str]:
    out, errors = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = main(list(words))
    return code, out.getvalue(), errors.getvalue()


def test_the_command_reads_a_saved_snapshot_as_the_machine_itself(
    tree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    tree.two_switches()
    snapshot = live(tree, tmp_path)
    saved = tmp_path / "node.json"
    saved.write_text(encode_snapshot(snapshot), encoding="utf-8")
    code, shown, _ = accel("topology", "--from", str(saved))
    assert code == 0
    assert shown.splitlines() == lines(of(snapshot))


def test_the_command_answers_in_json_and_writes_the_picture(tmp_path: Path) -> None:
    picture = tmp_path / "t.svg"
    text = str(MATRICES / "nvidia-with-cards.txt")
    code, shown, _ = accel("topology", "--from", text, "--json", "--svg", str(picture))
    answer = json.loads(shown)
    assert (code, answer["schema"]) == (0, "accel.topology/1")
    assert [device["id"] for device in answer["devices"]] == ["nvidia:0", "nvidia:1"]
    assert [card["id"] for card in answer["cards"]] == ["mlx5_0", "mlx5_bond_0"]
    assert {"one": "nvidia:0", "other": "nvidia:1", "path": "NV12"}.items() <= answer["matrix"][0].items()
    assert answer["modules"] is None
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_text_about_nothing_of_it_is_exit_code_one_and_a_wrong_file_two(tmp_path: Path) -> None:
    text = tmp_path / "pip.txt"
    text.write_text("torch==2.4.0\n", encoding="utf-8")
    assert accel("topology", "--from", str(text))[0] == 1
    assert accel("topology", "--from", str(tmp_path / "missing.txt"))[0] == 2
    code, _, errors = accel(
        "topology", "--from", str(MATRICES / "ascend-910b.txt"), "--svg", str(tmp_path / "no" / "t")
    )
    assert code == 2
    assert "Give a file that can be written" in errors


def test_what_is_read_in_brief_joins_alike(tree: Any, tmp_path: Path) -> None:
    tree.two_switches(acs=4)
    machine = tree.machine(tmp_path)
    whole, brief = (devices_and_wiring(machine, REGISTRY, isolate=False, brief=brief) for brief in (False, True))
    assert of(brief).joints == of(whole).joints
    assert [member.nearest for member in of(brief).devices] == [member.nearest for member in of(whole).devices]
    assert of(brief).groups == of(whole).groups
    assert [of(brief).p2p(*pair) for pair in combinations(range(4), 2)] == [
        of(whole).p2p(*pair) for pair in combinations(range(4), 2)
    ]
    ports = (brief.wiring.ports if brief.wiring is not None else None) or ()
    assert [(port.card, port.state, port.link_downs, port.gids) for port in ports] == [
        ("mlx5_0", "ACTIVE", None, None),
        ("mlx5_1", "ACTIVE", None, None),
    ]
