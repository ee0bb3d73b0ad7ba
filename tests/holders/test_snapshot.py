"""A snapshot of a machine with those who hold its devices, what they tell the checks, what a container was given."""

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from accel.diagnose.engine import diagnose
from accel.machine.patience import read_within
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.device import Process
from accel.model.observation import Noted
from accel.model.report import Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry
from accel.watch.holders.snapshot import with_holdings

GIB = 2**30


def seen(acme: SimpleNamespace, world: Any, *devices: Any, **facts: Any) -> Snapshot:
    given = Snapshot(reports=(Report(backend="acme", source="x", devices=devices),), **facts)
    return with_holdings(given, world, SimpleNamespace(backends_on=lambda machine: (acme.BACKEND,)))  # type: ignore[arg-type]


def noted(snapshot: Snapshot, fact: str) -> list[dict[str, str]]:
    return [dict(one.values) for one in snapshot.observations if isinstance(one, Noted) and one.fact == fact]


def test_who_holds_a_device_is_kept_in_the_snapshot_and_read_again(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(71), opened={71: ["/dev/acme0"]})
    found = seen(acme, world, acme.device(0, (Process(pid=71, memory_bytes=5),)))
    assert found.holdings is not None
    assert found.holdings.holders[0].process.command == ("python3", "train.py")
    again = decode_snapshot(encode_snapshot(found), {})
    assert again.holdings == found.holdings


def test_what_a_dead_job_left_is_a_finding_that_names_it(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(72), opened={72: ["/dev/acme0"]})
    device = acme.device(0, (), memory_total_bytes=64 * GIB, memory_used_bytes=40 * GIB)
    found = seen(acme, world, device, host=Host(system="linux", containerized=False))
    assert noted(found, "memory-without-owner") == [{"bytes": str(40 * GIB), "reason": "unlisted", "pids": "72"}]
    registry = Registry({})
    findings = diagnose(found, registry.specs, registry.checks, registry.rules).findings
    (finding,) = [one for one in findings if one.name == "device-memory-without-owner"]
    assert finding.devices == ("acme:0",)
    assert "72" in finding.evidence[0].value


ENDING = (Process(pid=71, memory_bytes=40 * GIB),)


@pytest.mark.parametrize(
    ("before", "after", "accused"),
    [
        pytest.param((40, ENDING), (0, ()), False, id="a job that ends during the look"),
        pytest.param((40, ()), (0, ()), False, id="memory that the driver has freed meanwhile"),
        pytest.param((40, ()), (40, (Process(pid=72, memory_bytes=40 * GIB),)), False, id="a job that is listed late"),
        pytest.param((40, ENDING), (40, ()), True, id="memory that stays"),
        pytest.param((0, ()), (40, ()), False, id="memory that was not in use at first"),
    ],
)
def test_memory_without_an_owner_is_looked_at_twice(
    before: tuple[int, tuple[Process, ...]],
    after: tuple[int, tuple[Process, ...]],
    accused: bool,
    acme: SimpleNamespace,
    tmp_path: Path,
) -> None:
    world = acme.machine(tmp_path, acme.process(72))

    def reports(used: int, processes: tuple[Process, ...]) -> tuple[Report, ...]:
        total, other = 64 * GIB, Process(pid=72, memory_bytes=0)
        one = acme.device(0, processes, memory_total_bytes=total, memory_used_bytes=used * GIB)
        two = acme.device(1, (other,), memory_total_bytes=total, memory_used_bytes=40 * GIB)
        return (Report(backend="acme", source="x", devices=(one, two)),)

    given = Snapshot(reports=reports(*before), host=Host(system="linux", containerized=False))
    registry: Any = SimpleNamespace(backends_on=lambda machine: (acme.BACKEND,))
    found = with_holdings(given, world, registry, lambda: reports(*after))
    told = [one.device for one in found.observations if isinstance(one, Noted) and one.fact == "memory-without-owner"]
    assert ("acme:0" in told) is accused
    assert "acme:1" in told  # of this one all looks are the same
    assert found.reports[0].devices[0].memory_used_bytes == after[0] * GIB
    registry = Registry({})
    findings = diagnose(found, registry.specs, registry.checks, registry.rules).findings
    faults = [one for one in findings if one.name == "device-memory-without-owner"]
    assert ("acme:0" in str([one.devices for one in faults])) is accused


def test_a_process_that_does_not_run_between_two_looks_is_stuck(acme: SimpleNamespace, tmp_path: Path) -> None:
    more = {"stack": "[<0>] acme_wait+0x3c/0x60 [acme_core]\n"}
    world = acme.machine(tmp_path, acme.process(71, state="D", more=more), opened={71: ["/dev/acme0"]})
    found = seen(acme, world, acme.device(0, ()))
    (told,) = noted(found, "holder-stuck")
    assert (told["pid"], told["function"], told["module"]) == ("71", "acme_wait", "acme_core")
    registry = Registry({})
    names = [one.name for one in diagnose(found, registry.specs, registry.checks, registry.rules).findings]
    assert "device-holder-stuck" in names


def test_what_a_container_was_given_is_told_also_where_it_is_nothing(acme: SimpleNamespace, tmp_path: Path) -> None:
    host = Host(system="linux", containerized=True, container="docker", shm_bytes=67108864)
    mounts = "31 30 8:1 /x /usr/lib/x86_64-linux-gnu/libacme.so.1.2 ro - ext4 /dev/sda1 ro\n"
    world = acme.machine(tmp_path, files={"/proc/self/mountinfo": mounts}, nodes=["/dev/null"])
    assert noted(seen(acme, world, host=host), "container-given") == [
        {"engine": "docker", "nodes": "/dev/acme0 /dev/acme1 /dev/acmectl", "libraries": "1", "shm_bytes": "67108864"}
    ]
    assert noted(seen(acme, world, host=Host(containerized=False)), "container-given") == []


def test_a_machine_without_devices_is_not_looked_into(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(71), opened={71: ["/dev/acme0"]})
    assert seen(acme, world).holdings is None


def test_a_file_that_does_not_answer_is_given_up() -> None:
    read_end, write_end = os.pipe()
    try:
        with pytest.raises(TimeoutError):
            read_within(lambda: str(os.read(read_end, 1)), 0.01)
    finally:
        os.write(write_end, b"x")  # so that the thread ends
        time.sleep(0)
        os.close(write_end)


def test_what_reading_raises_is_raised() -> None:
    def closed() -> str:
        raise PermissionError(13, "Permission denied")

    with pytest.raises(PermissionError):
        read_within(closed, 1.0)
    assert read_within(lambda: "text", 1.0) == "text"
