"""accel.testing: each machine answers as itself, faults are seen as faults, and nothing is left behind."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

import accel
import accel.testing
from accel.apps import api
from accel.specs.store import parse

EXPECTED: dict[str, Any] = parse(str(Path(__file__).parent / "machines.yaml"))
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="only a child process can be given a deadline")


def shown(device: accel.Device, wanted: dict[str, Any]) -> dict[str, Any]:
    told = {name: getattr(device, name) for name in wanted}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}


def test_every_machine_has_its_expectations() -> None:
    assert sorted(EXPECTED) == sorted(accel.testing.machines())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_machine_has_its_devices_its_links_and_no_fault_but_those_it_was_made_with(name: str) -> None:
    expected = EXPECTED[name]
    with accel.testing.machine(name) as m:
        found = accel.accelerators()
        snapshot = accel.snapshot()
        assert [finding.name for finding in accel.doctor(snapshot).findings] == expected.get("findings", [])
        assert tuple(device.id for device in found) == m.devices
        assert set(accel.health()) == set(m.devices)
        assert m.about
        assert not m.composed
    assert len(found) == expected["count"]
    for place, which in ((0, "first"), (-1, "last")):
        if which in expected:
            assert shown(found[place], expected[which]) == expected[which]
    assert sum(len(report.links) for report in snapshot.reports) == expected.get("links", 0)
    assert len(snapshot.wiring.ports if snapshot.wiring else ()) == expected.get("ports", 0)


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in ("cpu-only", "tpu-v5e-4")])
def test_a_device_that_is_used_has_less_memory_and_shows_its_work(name: str) -> None:
    with accel.testing.machine(name) as m:
        used = m.devices[-1]
        before = accel.device(used)
        pid = m.use(used, "2GiB", process="train.py")
        m.busy(m.devices[0], 90)
        after, first = accel.device(used), accel.device(m.devices[0])
        if before.memory_used_bytes is not None:
            assert (after.memory_used_bytes or 0) - before.memory_used_bytes == 2 << 30
            assert accel.memory(used).used_bytes == after.memory_used_bytes
        if before.processes is not None:
            assert [(p.pid, p.name) for p in after.processes or ()] == [(pid, "train.py")]
        assert first.utilization_percent in (90.0, None if name == "h100-mig" else 90.0)


def test_a_lost_gpu_is_critical_and_named_by_the_doctor() -> None:
    with accel.testing.machine("8xH100") as m:
        m.lose("nvidia:3")
        assert accel.health("nvidia:3") == "critical"
        assert accel.memory("nvidia:3").total_bytes is None
        assert accel.doctor().findings[0].name == "gpu-lost"
        assert "nvidia:3" not in [device.id for device in accel.pick(7).devices]
        m.heal("nvidia:3")
        assert accel.health("nvidia:3") == "ok"


@pytest.mark.parametrize(("name", "device"), [("ascend-910b-8", "ascend:1"), ("gaudi2-8", "gaudi:0")])
def test_a_lost_device_of_another_vendor_is_no_longer_listed(name: str, device: str) -> None:
    with accel.testing.machine(name) as m:
        m.lose(device)
        assert [one.id for one in accel.accelerators()] == [one for one in m.devices if one != device]


@needs_fork
@pytest.mark.parametrize(
    ("name", "what"), [("8xH100", "nvidia:3"), ("8xH100", "nvidia"), ("mi300x-8", "amd:2"), ("metax-c500-8", "metax")]
)
def test_a_call_that_does_not_return_misses_its_deadline(name: str, what: str) -> None:
    with accel.testing.machine(name) as m:
        m.hang(what)
        with pytest.raises(accel.DeadlineMissed):
            accel.devices(timeout_seconds=0.3)


def test_without_a_deadline_a_call_that_does_not_return_is_told_instead_of_made() -> None:
    with accel.testing.machine("8xH100") as m:
        m.hang("nvidia:3")
        with pytest.raises(accel.testing.NeverReturns, match="timeout_seconds"):
            accel.devices()


def test_the_masks_of_this_process_do_not_count_and_those_of_the_machine_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    with accel.testing.machine("8xH100") as m:
        assert all(device.visible for device in accel.accelerators())
        m.environment["CUDA_VISIBLE_DEVICES"] = "2,4"
        assert [device.id for device in accel.accelerators() if device.visible] == ["nvidia:2", "nvidia:4"]
        m.busy("nvidia:0")
        assert accel.device("cuda:1").id == "nvidia:4"
    with accel.testing.machine("8xH100", environment={"CUDA_VISIBLE_DEVICES": "7"}):
        assert accel.device("cuda:0").id == "nvidia:7"


def lose_and_ask() -> None:
    with accel.testing.machine("2x4090") as m:
        accel.configure(timeout_seconds=5)
        m.lose("nvidia:0")
        assert len(accel.accelerators(isolate=False)) == 2
        accel.device("nvidia:2")


def test_the_inner_machine_answers_and_the_outer_one_again_after_it() -> None:
    with accel.testing.machine("cpu-only"):
        with pytest.raises(accel.NoSuchDevice):
            lose_and_ask()
        assert accel.accelerators() == ()
        assert api._way(None, None) == (False, 20.0)
    assert api.instead == []
    with accel.testing.machine("2x4090"):
        assert accel.health("nvidia:0") == "ok"  # another machine of the same name


def test_threads_see_the_machine_of_their_process() -> None:
    found: list[int] = []
    with accel.testing.machine("4xA100-pcie"):
        threads = [threading.Thread(target=lambda: found.append(len(accel.accelerators()))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [4, 4, 4, 4]


def test_a_product_is_composed_and_says_so() -> None:
    with accel.testing.machine("2xL40S") as m:
        assert m.composed
        assert "spec database" in m.about
        assert [device.name for device in accel.accelerators()] == ["NVIDIA L40S"] * 2
        assert accel.device(1).compute_capability == "8.9"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("8xH10", "Near it are: .*H100.*There are: 8xH100"),
        ("mi300", "Near it: mi300x-8.*There are"),
        ("4xA100", "several products: A100 SXM4 80GB, A100 PCIe"),
        ("40xH100 SXM5", "from 1 to 16"),
        ("2xRX 6800", "nothing is known of its"),
        ("2xM2 Max", "nvidia or amd"),
    ],
)
def test_a_name_that_means_no_machine_is_refused_with_the_nearest(name: str, words: str) -> None:
    with pytest.raises(accel.BadInput, match=words):
        accel.testing.machine(name)


def test_what_is_done_to_a_device_that_is_not_there_is_refused() -> None:
    with accel.testing.machine("h100-mig") as m:
        for act in (m.lose, m.busy, m.hang, m.heal):
            with pytest.raises(accel.NoSuchDevice, match="nvidia:0/mig2"):
                act("nvidia:7")  # type: ignore[operator]
        with pytest.raises(accel.BadInput, match="slice"):
            m.lose("nvidia:0/mig0")
        with pytest.raises(accel.BadInput, match="20GiB"):
            m.use("nvidia:0", "much")
    with accel.testing.machine("tpu-v5e-4") as m:
        with pytest.raises(accel.BadInput, match="nothing"):
            m.hang("tpu")
        with pytest.raises(accel.BadInput, match="reports neither"):
            m.use("tpu:0", "1GiB")


def test_a_machine_has_the_packages_that_it_is_given() -> None:
    wanted = {"torch": {"version": ">=2.9", "build": "cu12*"}}
    with accel.testing.machine("8xH100", packages={"torch": "2.9.1+cu128", "nvidia-nccl-cu12": "2.27.5"}):
        assert accel.require(vendor="nvidia", frameworks=wanted)
        assert [finding.name for finding in accel.doctor().findings] == []
    with accel.testing.machine("8xH100", packages={"torch": "2.9.1+cpu"}):
        with pytest.raises(accel.RequirementUnmet) as unmet:
            accel.require(vendor="nvidia", frameworks=wanted)
        assert "frameworks" in unmet.value.reasons
        assert [finding.name for finding in accel.doctor().findings] == ["torch-cpu-build-on-gpu-machine"]
    with accel.testing.machine("8xH100"), pytest.raises(accel.RequirementUnmet):
        accel.require(vendor="nvidia", frameworks=wanted)


@pytest.mark.parametrize("packages", [{"../torch": "2.9"}, {"torch": "../2"}, {"torch": 2.9}, {"": "1"}])
def test_what_is_no_package_is_bad_input(packages: dict[str, Any]) -> None:
    with pytest.raises(accel.BadInput, match="packages: "):
        accel.testing.machine("8xH100", packages=packages)
