"""Snapshots of two machines in one call are refused: merged they would be a machine that never was."""

from dataclasses import replace

import pytest

from accel.collect.text import read_texts
from accel.model.codec import encode_snapshot
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.report import Report
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
    assert "node1.json and node2.json are of two machines" in str(refused.value)
    assert told in str(refused.value)
    assert "accel doctor --from FILE" in str(refused.value)


def test_two_snapshots_of_one_machine_are_read_together() -> None:
    assert read(node(), node()).host.name == "node-1"
    assert read(node(), replace(node(), host=Host())).host.name == "node-1"


def test_a_snapshot_and_a_log_of_it_are_read_together() -> None:
    assert read(node(), text="NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.").host.name == "node-1"
