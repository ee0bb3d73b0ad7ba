"""Snapshots of two machines in one call are refused: merged they would be a machine that never was."""

from dataclasses import replace

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.codec import encode_snapshot
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

REGISTRY = Registry({})


def node(name: str = "node-1", uuid: str = "GPU-1", memory: int = 1 << 39) -> Snapshot:
    gpu = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu", uuid=uuid)
    host = Host(name=name, system="linux", memory_total_bytes=memory)
    return Snapshot(host=host, reports=(Report(backend="nvidia", source="nvml", devices=(gpu,)),))


def read(*snapshots: Snapshot, text: str = "") -> Snapshot:
    texts = [(f"node{n}.json", encode_snapshot(one)) for n, one in enumerate(snapshots, 1)]
    return read_texts([*texts, *([("log.txt", text)] if text else [])], REGISTRY)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (node("node-2"), "name is 'node-1' in the one and 'node-2' in the other"),
        (node(memory=1 << 38), "memory_total_bytes"),
        (node(uuid="GPU-2"), "no nvidia device of the one is in the other, by uuid"),
    ],
)
def test_two_machines_are_refused_with_what_tells_them_apart(other: Snapshot, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(node(), other)
    assert "node1.json and node2.json come from two machines" in str(refused.value)
    assert told in str(refused.value)
    assert "accel doctor --from FILE" in str(refused.value)


def test_two_snapshots_of_one_machine_are_read_together() -> None:
    assert read(node(), node()).host.name == "node-1"
    assert read(node(), replace(node(), host=Host())).host.name == "node-1"


def test_a_snapshot_and_a_log_of_it_are_read_together() -> None:
    assert read(node(), text="NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.").host.name == "node-1"


def test_the_doctor_compares_snapshots_of_several_machines_and_names_the_odd_one() -> None:
    texts = [(f"{name}.json", encode_snapshot(with_driver(name, version))) for name, version in DRIVERS.items()]
    together = read_texts(texts, REGISTRY, several=True)
    findings = [one for one in judged(together, REGISTRY).findings if one.name == "nodes-versions-unlike"]
    assert [part.says for part in together.parts] == ["on node-1", "on node-2", "on node-3"]
    assert [(one.title, one.severity) for one in findings] == [
        ("The nvidia driver is 550.54.15 on node-3, but 570.124.06 on the others", "warning")
    ]


def test_of_two_snapshots_neither_is_the_odd_one_and_two_of_one_machine_are_no_comparison() -> None:
    two = [(f"{name}.json", encode_snapshot(with_driver(name, version))) for name, version in [*DRIVERS.items()][1:]]
    findings = list(judged(read_texts(two, REGISTRY, several=True), REGISTRY).findings)
    assert [one.severity for one in findings if one.name == "nodes-versions-unlike"] == ["info"]
    same = [("a.json", encode_snapshot(node())), ("b.json", encode_snapshot(node()))]
    assert read_texts(same, REGISTRY, several=True).parts == ()


DRIVERS = {"node-1": "570.124.06", "node-2": "570.124.06", "node-3": "550.54.15"}


def with_driver(name: str, version: str) -> Snapshot:
    one = node(name, uuid=f"GPU-{name}")
    return replace(one, reports=tuple(replace(report, driver=Driver(version=version)) for report in one.reports))


def test_a_node_whose_file_is_empty_or_breaks_off_is_named_and_the_others_are_judged() -> None:
    whole = [(f"{name}.json", encode_snapshot(with_driver(name, version))) for name, version in DRIVERS.items()]
    texts = [*whole, ("logs/gpu-7.json", " \n"), ("gpu-8.json", whole[0][1][:300])]
    together = read_texts(texts, REGISTRY, several=True)
    assert len(together.parts) == len(DRIVERS)
    told = [one.title for one in judged(together, REGISTRY).findings if one.name == "node-without-answer"]
    assert told == ["gpu-7 gave no answer", "gpu-8 began to answer and broke off"]


def test_an_empty_file_beside_one_snapshot_or_a_text_is_no_node() -> None:
    one = encode_snapshot(node())
    assert read_texts([("a.json", one), ("b.json", "")], REGISTRY, several=True).parts == ()
    texts = [("a.json", one), ("b.json", encode_snapshot(node("node-2"))), ("c.txt", ""), ("d.txt", "a log")]
    with pytest.raises(BadInput):
        read_texts(texts, REGISTRY, several=True)
